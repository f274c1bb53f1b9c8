import { expect, test } from 'vitest';
import { times } from '../../support/times';
import { freshDatabase, joinLedger, pause, type LedgerTab } from './setup';

const COMMANDS = times({ some: 40, full: 100 });
const ROUNDS = times({ some: 1, full: 3 });
const LANES = ['a', 'b', 'c'];
const LONGEST_GAP_MS = 60;

/**
 * One tab's commands in order, several in flight at any moment. Where the tab dies, the next one goes on after the
 * last command that took effect, as an app that keeps an outbox does.
 */
class Lane {
  readonly name: string;
  readonly #db: string;
  #tab: LedgerTab;
  failures: unknown[] = [];

  constructor(name: string, db: string, tab: LedgerTab) {
    this.name = name;
    this.#db = db;
    this.#tab = tab;
  }

  get tab(): LedgerTab {
    return this.#tab;
  }

  async run(): Promise<void> {
    for (;;) {
      const entries = await this.#tab.call('readEntries');
      const from = entries.filter(({ tab }) => tab === this.name).length;
      if (from === COMMANDS) return;
      const options = { from, to: COMMANDS, longestGapMs: LONGEST_GAP_MS };
      const failed = await this.#tab.call('appendAll', this.name, options).catch(() => undefined);
      if (failed !== undefined) {
        this.failures.push(...failed);
        return;
      }
      this.#tab = await joinLedger(this.#db); // the tab was killed
    }
  }
}

test(
  `three tabs with ${String(COMMANDS)} commands each and random kills: each tab’s order is kept, none is missing, none is there twice`,
  { timeout: 120_000 * ROUNDS },
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const db = freshDatabase();
      const lanes: Lane[] = [];
      for (const name of LANES) lanes.push(new Lane(name, db, await joinLedger(db)));
      let isDone = false;
      const running = Promise.all(lanes.map((lane) => lane.run())).then(() => (isDone = true));
      let kills = 0;
      while (!isDone) {
        await Promise.race([running, pause(200 + Math.random() * 800)]);
        const { tab } = lanes[Math.floor(Math.random() * lanes.length)] as Lane;
        const isWholeTab = Math.random() < 0.3;
        // A tab that is being replaced is none that can be killed.
        await (isWholeTab ? tab.crash() : tab.terminateWorkers()).then(
          () => (kills += 1),
          () => undefined,
        );
      }
      await running;
      const reader = await joinLedger(db);
      const entries = await reader.call('readEntries');
      const wanted = Array.from({ length: COMMANDS }, (_, n) => n);
      for (const { name, failures } of lanes) {
        expect(failures).toEqual([]);
        const order = entries.filter(({ tab }) => tab === name).map(({ n }) => n);
        expect(order, `${name} after ${String(kills)} kills`).toEqual(wanted);
      }
      expect(entries).toHaveLength(LANES.length * COMMANDS);
      await Promise.all([reader.close(), ...lanes.map(({ tab }) => tab.close().catch(() => undefined))]);
    }
  },
);
