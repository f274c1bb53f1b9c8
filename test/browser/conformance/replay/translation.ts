import type { Replay } from './select-replay';

/** What a tab found when it had booted. */
export interface Boot {
  readonly generation: number;
  readonly serverInstanceId: string;
  /** Put before the permit ids of a trace, which others in the database have too. */
  readonly prefix: string;
}

/** Instants that a trace names as they were in its own time; a tab has its own. */
const INSTANTS: ReadonlySet<string> = new Set([
  'issuedAt',
  'lastTransitionAt',
  'completedAt',
  'createdAt',
  'resolvedAt',
]);

/**
 * From a trace's ids, generations and times to a tab's. Deadlines keep their distance from the step that names them
 * first; ids that the library makes are learned where a result shows them.
 */
export class Translation {
  readonly #replay: Replay;
  readonly #boot: Boot;
  readonly #ids = new Map<string, string>();
  readonly #deadlines = new Map<number, string>();

  constructor(replay: Replay, boot: Boot) {
    this.#replay = replay;
    this.#boot = boot;
    this.#ids.set(replay.instanceId, boot.serverInstanceId);
  }

  /** An argument of a step, as the tab must give it. */
  toInput(value: unknown, nowMs: number, key = ''): unknown {
    if (Array.isArray(value)) return value.map((item) => this.toInput(item, nowMs));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(
        Object.entries(value)
          .filter(([, member]) => member !== null)
          .map(([name, member]) => [name, isOpaque(name) ? member : this.toInput(member, nowMs, name)]),
      );
    }
    if (key === 'coordinatorGeneration') return this.#toGeneration(value);
    if (key === 'deadlineAt') return this.#toDeadline(value, nowMs);
    if (typeof value !== 'string') return value;
    return this.#ids.get(value) ?? (key === 'permitId' ? this.#boot.prefix + value : value);
  }

  /** Where the tab's result is not what the trace says, as a sentence; undefined where it is. */
  findDifference(expected: unknown, actual: unknown, path = 'result'): string | undefined {
    const key = path.slice(path.lastIndexOf('.') + 1);
    if (Array.isArray(expected)) {
      if (!Array.isArray(actual) || actual.length !== expected.length) return differ(path, expected, actual);
      return firstOf(expected, (item, index) =>
        this.findDifference(item, actual[index], `${path}[${index}]`),
      );
    }
    if (typeof expected === 'object' && expected !== null) {
      if (typeof actual !== 'object' || actual === null) return differ(path, expected, actual);
      const members = new Map(Object.entries(actual));
      return firstOf(Object.entries(expected), ([name, member]) =>
        this.findDifference(member, members.get(name) ?? null, `${path}.${name}`),
      );
    }
    return this.#isSame(key, expected, actual) ? undefined : differ(path, expected, actual);
  }

  #isSame(key: string, expected: unknown, actual: unknown): boolean {
    if (typeof expected !== 'string') {
      return actual === (key === 'coordinatorGeneration' ? this.#toGeneration(expected) : expected);
    }
    if (typeof actual !== 'string') return false;
    if (INSTANTS.has(key)) return new Date(actual).toISOString() === actual;
    if (key === 'deadlineAt') return actual === this.#deadlines.get(Date.parse(expected));
    return actual === this.#learn(key, expected, actual);
  }

  /** An id made by the source is another here; from its first showing on it is always the same one. */
  #learn(key: string, expected: string, actual: string): string {
    const isMade = /^id-\d+$/.test(expected) && (key === 'permitId' || key === 'obligationId');
    if (isMade && !this.#ids.has(expected)) this.#ids.set(expected, actual);
    return String(this.toInput(expected, 0, key));
  }

  #toGeneration(value: unknown): unknown {
    if (typeof value !== 'number') return value;
    // Another generation stays another one, and never falls below the first.
    return Math.max(0, value - this.#replay.generation + this.#boot.generation);
  }

  #toDeadline(value: unknown, nowMs: number): unknown {
    const ms = typeof value === 'string' ? Date.parse(value) : NaN;
    if (Number.isNaN(ms)) return value;
    const known = this.#deadlines.get(ms) ?? new Date(Date.now() + ms - nowMs).toISOString();
    this.#deadlines.set(ms, known);
    return known;
  }
}

/** Cursors are the app's own: whatever stands in one is no id of ours. */
function isOpaque(name: string): boolean {
  return name === 'lastCommittedCursor' || name === 'operationIdentity';
}

function firstOf<T>(
  items: readonly T[],
  find: (item: T, index: number) => string | undefined,
): string | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

function differ(path: string, expected: unknown, actual: unknown): string {
  return `${path}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(actual)}`;
}
