import { makeRandom } from '../support/random';

/** Chance that depends on the seed alone. Each part of the world throws its own, so that a new part changes no other's luck. */
export class Dice {
  readonly #seed: number;
  readonly #random: () => number;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = makeRandom(seed);
  }

  fork(name: string): Dice {
    let hash = this.#seed ^ 0x9e3779b9;
    for (const character of name) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
    return new Dice(hash >>> 0);
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  /** From `low` to `high`, any number between. */
  between(low: number, high: number): number {
    return low + this.#random() * (high - low);
  }

  integer(low: number, high: number): number {
    return Math.floor(this.between(low, high + 1));
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.#random() * items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }

  /** One of the names, each as often as its weight says. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries<number>(weights) as [Name, number][]; // the record's own keys
    let left = this.between(
      0,
      entries.reduce((sum, [, weight]) => sum + weight, 0),
    );
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return this.pick(entries)[0];
  }

  /** A UUID of version 4 by its shape. */
  uuid(): string {
    const hex = (digits: number): string =>
      Math.floor(this.#random() * 16 ** digits)
        .toString(16)
        .padStart(digits, '0');
    const variant = this.pick(['8', '9', 'a', 'b']);
    return `${hex(8)}-${hex(4)}-4${hex(3)}-${variant}${hex(3)}-${hex(6)}${hex(6)}`;
  }
}
