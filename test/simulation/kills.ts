import type { SimTab } from './tab';
import type { World } from './world';

/** Ways a page or a worker ends, each as often as its weight says. */
const KINDS = { close: 2, crash: 4, reload: 2, worker: 3 } as const;
export type KillKind = keyof typeof KINDS;

/** Kills pages and workers, the writer's more often than others, and opens new pages in their place. */
export class Kills {
  readonly #world: World;
  readonly #dice;
  #left: number;
  #opened = 0;

  constructor(world: World, count: number) {
    this.#world = world;
    this.#dice = world.dice.fork('kills');
    this.#left = count;
  }

  get isOver(): boolean {
    return this.#left <= 0;
  }

  /** The next kill, and after it the next. */
  plan(): void {
    if (this.isOver) return;
    const delayMs = this.#dice.chance(0.3) ? this.#dice.between(0, 100) : this.#dice.between(50, 900);
    this.#world.time.after(delayMs, 'the next kill', () => {
      this.#left -= 1;
      this.#killOne();
      this.plan();
    });
  }

  /** At which edge of the transaction about to begin its worker dies, or null. */
  findDeath(): 'before' | 'after' | null {
    if (this.isOver || !this.#dice.chance(0.008)) return null;
    return this.#dice.pick(['before', 'after'] as const);
  }

  #killOne(): void {
    const { living } = this.#world;
    if (living.length === 0) return; // the next page is about to open
    const writers = living.filter(
      (tab) => tab.worker !== undefined && tab.worker === this.#world.disk.holder,
    );
    const victim = this.#dice.pick(writers.length > 0 && this.#dice.chance(0.7) ? writers : living);
    const kind = this.#dice.weighted(KINDS);
    this.#world.trace.add(this.#world.time.nowMs, `KILL ${victim.name}: ${kind}`);
    this.#kill(victim, kind);
  }

  #kill(victim: SimTab, kind: KillKind): void {
    switch (kind) {
      case 'worker':
        victim.worker?.die();
        return;
      case 'crash':
        victim.end('crash');
        break;
      case 'close':
      case 'reload':
        victim.close();
        break;
    }
    const isReplaced = kind === 'reload' || this.#world.living.length < 2 || this.#dice.chance(0.7);
    if (!isReplaced) return;
    const delayMs = this.#dice.between(5, kind === 'reload' ? 60 : 600);
    this.#opened += 1;
    const name = `n${String(this.#opened)}`;
    this.#world.time.after(delayMs, `${name} opens`, () => this.#world.openTab(name));
  }
}
