/** The whole library in a simulated browser, seed by seed. CONTRIBUTING says how to run one seed again and read it. */
import { expect, test } from 'vitest';
import { describeFailure, runSeed, type RunResult } from './run-seed';

const SEEDS = Number(process.env['SIM_SEEDS'] ?? '500');
const SEEDS_PER_TEST = 50;
/** One seed alone, to look at it. */
const ONLY = process.env['SIM_SEED'];
const IS_TRACED = process.env['SIM_TRACE'] === '1';

const ranges =
  ONLY === undefined
    ? Array.from({ length: Math.ceil(SEEDS / SEEDS_PER_TEST) }, (_, index) => ({
        from: index * SEEDS_PER_TEST + 1,
        to: Math.min((index + 1) * SEEDS_PER_TEST, SEEDS),
      }))
    : [{ from: Number(ONLY), to: Number(ONLY) }];

test.each(ranges)('seeds $from to $to keep every promise', { timeout: 120_000 }, async ({ from, to }) => {
  const failures: string[] = [];
  for (let seed = from; seed <= to; seed += 1) {
    const result = await runSeed({ seed, isTraceKept: IS_TRACED });
    if (IS_TRACED) printTrace(result);
    if (result.violations.length > 0) failures.push(describeFailure(seed, result));
  }
  expect(failures.join('\n')).toBe('');
});

test('the same seed is the same run, to the last line of its trace', { timeout: 60_000 }, async () => {
  const [first, second] = [
    await runSeed({ seed: 7, isTraceKept: true }),
    await runSeed({ seed: 7, isTraceKept: true }),
  ];
  expect(second.trace).toEqual(first.trace);
  expect(first.trace.length).toBeGreaterThan(500);
});

test('an upstream that applies every delivery is found out', { timeout: 60_000 }, async () => {
  const found = new Set<string>();
  for (let seed = 1; seed <= 10; seed += 1) {
    const { violations } = await runSeed({ seed, isUpstreamForgetful: true });
    for (const { rule } of violations) found.add(rule);
  }
  expect(found).toContain('effect-twice');
});

function printTrace({ trace }: RunResult): void {
  console.log(trace.join('\n'));
}
