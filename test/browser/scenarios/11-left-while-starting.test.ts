import { expect, test } from 'vitest';
import { times } from '../../support/times';
import { freshDatabase, mustBeOk, openLedgerTab, pause, readOrder } from './setup';

const ROUNDS = times({ some: 3, full: 40 });
const READY_WITHIN_MS = 5_000;

test(
  `a page that is left while it starts, ${String(ROUNDS)} times at other moments: the next tab is ready within 5 s`,
  { timeout: 30_000 + ROUNDS * 15_000 },
  async () => {
    const db = freshDatabase();
    for (let round = 0; round < ROUNDS; round++) {
      const leaving = await openLedgerTab();
      const cutOff = leaving.call('join', db).catch(() => undefined); // the page goes away under the call
      await pause((round * 130) % 700);
      await leaving.goto('/test/browser/pages/tab.html?elsewhere');
      const tab = await openLedgerTab();
      const startedMs = performance.now();
      mustBeOk(await tab.call('join', db));
      expect(performance.now() - startedMs).toBeLessThan(READY_WITHIN_MS);
      mustBeOk(await tab.call('mutate', 'append', 'r', round));
      expect((await readOrder(tab)).split(' ')).toHaveLength(round + 1);
      await Promise.all([tab.close(), leaving.close(), cutOff]);
    }
  },
);
