/** Runs in each tab of the benchmark; the driver calls `bench`. */
import type { Contender } from './contender';
import { openDexie } from './dexie';
import { openTidelock } from './tidelock';

const OPENERS: Readonly<Record<string, (name: string) => Promise<Contender>>> = {
  tidelock: openTidelock,
  dexie: openDexie,
};
const open = new Map<string, Contender>();

const bench = {
  async open(kind: string, name: string): Promise<void> {
    const opener = OPENERS[kind];
    if (opener === undefined) throw new Error(`No contender "${kind}".`);
    open.set(kind, await opener(name));
  },

  /** Milliseconds of each of `count` calls made one after the other. */
  async oneAtATime(kind: string, count: number): Promise<number[]> {
    const contender = mustGet(kind);
    const times: number[] = [];
    for (let index = 0; index < count; index++) {
      const startedMs = performance.now();
      await contender.call(crypto.randomUUID());
      times.push(performance.now() - startedMs);
    }
    return times;
  },

  /** How many calls end within `durationMs` while `inFlight` are kept under way. */
  async inFlight(kind: string, inFlight: number, durationMs: number): Promise<number> {
    const contender = mustGet(kind);
    const untilMs = performance.now() + durationMs;
    let done = 0;
    const loop = async (): Promise<void> => {
      while (performance.now() < untilMs) {
        await contender.call(crypto.randomUUID());
        if (performance.now() < untilMs) done += 1;
      }
    };
    await Promise.all(Array.from({ length: inFlight }, loop));
    return done;
  },

  close(kind: string): void {
    mustGet(kind).close();
    open.delete(kind);
  },
};

function mustGet(kind: string): Contender {
  const contender = open.get(kind);
  if (contender === undefined) throw new Error(`"${kind}" is not open in this tab.`);
  return contender;
}

export type Bench = typeof bench;
Object.assign(globalThis, { bench });
