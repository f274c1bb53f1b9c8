/** What judges mutants: a recorded trace, `traces: <name>`, or a test file, by its path. */
export type CheckName = string;

export const TRACES = 'traces: ';

/** A check that has killed nothing yet still comes early when it is quick. */
const HOPE = 0.02;
/** What kills mutants of one file kills those of another less often. */
const ELSEWHERE = 0.1;
const OVERHEAD_MS = 20;

/**
 * The order in which checks are run, learned from what killed earlier mutants: first what is likely to kill the next
 * one of this file, for the time that it takes. It changes when a mutant is found dead, never whether.
 */
export class CheckOrder {
  readonly #times: Readonly<Record<CheckName, number>>;
  readonly #checks: readonly CheckName[];
  readonly #last: readonly CheckName[];
  readonly #killsOf = new Map<string, Map<CheckName, number>>();
  readonly #kills = new Map<CheckName, number>();

  /** @param last checks that come after all others, whatever they kill */
  constructor(times: Readonly<Record<CheckName, number>>, last: readonly CheckName[]) {
    this.#times = times;
    this.#checks = Object.keys(times);
    this.#last = last;
  }

  learn(path: string, killedBy: string | null): void {
    const check = this.#checks.find((name) => killedBy === name || killedBy?.startsWith(`${name}: `));
    if (check === undefined) return;
    const kills = this.#killsOf.get(path) ?? new Map<CheckName, number>();
    this.#killsOf.set(path, kills.set(check, (kills.get(check) ?? 0) + 1));
    this.#kills.set(check, (this.#kills.get(check) ?? 0) + 1);
  }

  for(path: string): readonly CheckName[] {
    const kills = this.#killsOf.get(path);
    const worth = (check: CheckName): number =>
      this.#last.includes(check)
        ? -(this.#times[check] ?? 0)
        : (HOPE + (kills?.get(check) ?? 0) + ELSEWHERE * (this.#kills.get(check) ?? 0)) /
          ((this.#times[check] ?? 0) + OVERHEAD_MS);
    const worths = new Map(this.#checks.map((check) => [check, worth(check)]));
    return this.#checks.toSorted((a, b) => (worths.get(b) ?? 0) - (worths.get(a) ?? 0));
  }
}
