/** Turns a row of numbers into choices, so that a shrunk row makes simpler choices. */
export class Picker {
  readonly #seeds: readonly number[];
  #at = 0;

  constructor(seeds: readonly number[]) {
    this.#seeds = seeds;
  }

  /** 0 to `below` - 1. */
  number(below: number): number {
    const seed = this.#seeds[this.#at++ % this.#seeds.length] ?? 0;
    return seed % below;
  }

  /** One of a list that is not empty. */
  of<const C extends readonly unknown[]>(choices: C): C[number] {
    return choices[this.number(choices.length)];
  }

  /** One of the list, or undefined where it is empty. */
  from<T>(list: readonly T[]): T | undefined {
    return list.length === 0 ? undefined : list[this.number(list.length)];
  }

  /** True once in `n`, never for a seed of 0. */
  oneIn(n: number): boolean {
    return this.number(n) === n - 1;
  }
}
