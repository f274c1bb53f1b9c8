import { expect, test } from 'vitest';
import { times } from '../../support/times';
import { startStorage } from '../storage/start-storage';
import {
  checkIntegrity,
  freshDatabase,
  joinLedger,
  mustBeOk,
  pause,
  takeWriterPlace,
  type LedgerTab,
} from './setup';

const DURATION_MS = times({ some: 12_000, full: 180_000 });

test(
  `two tabs that are reloaded at random for ${String(DURATION_MS / 1_000)} s: after each takeover the database is whole`,
  { timeout: DURATION_MS + 120_000 },
  async () => {
    const db = freshDatabase();
    const endAt = performance.now() + DURATION_MS;
    const promised: string[] = [];
    // On a busy machine the reloads may leave no time for a single call: then it goes on until one was answered.
    const isOver = (): boolean => performance.now() > endAt && promised.length > 0;

    const live = async (tab: LedgerTab, name: string): Promise<void> => {
      for (let n = 0; !isOver(); n++) {
        await pause(Math.random() * 600);
        await tab.reload();
        // What the next reload cuts off is nobody's to count.
        const lived = async (): Promise<void> => {
          mustBeOk(await tab.call('join', db));
          for (let index = 0; !isOver(); index++) {
            const key = n * 1_000 + index;
            mustBeOk(await tab.call('mutate', 'append', name, key));
            promised.push(`${name}${String(key)}`);
          }
        };
        void lived().catch(() => undefined);
        await pause(1_000 + Math.random() * 3_000);
      }
    };
    /** Takes its turn as writer like everybody else, and looks. */
    const inspect = async (): Promise<number> => {
      const worker = startStorage();
      let looks = 0;
      while (!isOver()) {
        const place = takeWriterPlace(db);
        await place.granted;
        expect(await checkIntegrity(worker, db)).toBe('ok');
        place.release();
        looks += 1;
        await pause(500);
      }
      return looks;
    };

    const [one, two] = [await joinLedger(db), await joinLedger(db)];
    const looking = inspect();
    await Promise.all([live(one, 'one'), live(two, 'two')]);
    // Whoever still waits for the writer's place has its turn now, and a last look.
    await Promise.all([one.close(), two.close()]);
    const looks = await looking;
    expect(looks).toBeGreaterThan(0);
    const reader = await joinLedger(db);
    const keys = (await reader.call('readEntries')).map(({ tab, n }) => `${tab}${String(n)}`);
    expect(promised.length).toBeGreaterThan(0);
    expect(
      promised.filter((key) => !keys.includes(key)),
      'acknowledged and lost',
    ).toEqual([]);
    expect(new Set(keys).size, 'done twice').toBe(keys.length);
  },
);
