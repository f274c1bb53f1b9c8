import { expect } from 'vitest';

/**
 * As much of Vitest as the tests of the stores use, run in this process: a mutant is judged in milliseconds and not in
 * the seconds that a run of Vitest takes to start. Expectations are Vitest's own.
 */

type Body = (...args: unknown[]) => unknown;
interface CollectedTest {
  readonly name: string;
  readonly run: () => unknown;
}

let collected: CollectedTest[] = [];
let finishers: (() => unknown)[] = [];

function add(name: string, ...rest: readonly unknown[]): void {
  const body = rest.find((part) => typeof part === 'function') as Body | undefined;
  if (body === undefined) throw new TypeError(`test "${name}" has no body`);
  collected.push({ name, run: () => body() });
}

function each(cases: readonly unknown[]) {
  return (name: string, ...rest: readonly unknown[]): void => {
    const body = rest.find((part) => typeof part === 'function') as Body | undefined;
    if (body === undefined) throw new TypeError(`test "${name}" has no body`);
    for (const item of cases) {
      const args = Array.isArray(item) ? (item as unknown[]) : [item];
      collected.push({ name: `${name} ${JSON.stringify(args[0])}`, run: () => body(...args) });
    }
  };
}

/** What a test file imports as `vitest`. */
export const VITEST = {
  expect,
  test: Object.assign(add, { each }),
  describe: Object.assign((_name: string, body: () => unknown) => void body(), {
    each:
      (cases: readonly unknown[]) =>
      (_name: string, body: Body): void => {
        for (const item of cases) body(...(Array.isArray(item) ? (item as unknown[]) : [item]));
      },
  }),
  onTestFinished: (finish: () => unknown): void => void finishers.push(finish),
};

/** Collects the tests that `load` declares and runs them in order; the name of the first that fails, or null. */
export async function findFailingTest(load: () => Promise<unknown>): Promise<string | null> {
  collected = [];
  try {
    await load();
  } catch (error) {
    return `loading: ${error instanceof Error ? error.stack : String(error)}`;
  }
  for (const { name, run } of collected) {
    finishers = [];
    try {
      await run();
    } catch {
      return name;
    } finally {
      for (const finish of finishers.toReversed()) await finish();
    }
  }
  return null;
}
