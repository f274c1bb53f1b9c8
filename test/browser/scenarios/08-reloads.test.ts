import { expect, test } from 'vitest';
import { times } from '../../support/times';
import { freshDatabase, joinLedger, mustBeOk, pause, readOrder, type LedgerTab } from './setup';

const RELOADS = times({ some: 10, full: 50 });

/** Joins and appends as far as the next reload lets it; a failure that the page itself was told is returned. */
async function liveUntilReload(tab: LedgerTab, db: string, n: number): Promise<string | null> {
  try {
    mustBeOk(await tab.call('join', db));
    mustBeOk(await tab.call('mutate', 'append', 'reload', n));
  } catch (error) {
    const text = String(error);
    return text.includes('wanted ok') ? text : null; // the page was reloaded under the call
  }
  return null;
}

test(
  `a tab reloaded ${String(RELOADS)} times at 200 ms starts without an error and keeps its data`,
  { timeout: 60_000 + RELOADS * 5_000 },
  async () => {
    const db = freshDatabase();
    const tab = await joinLedger(db);
    mustBeOk(await tab.call('mutate', 'append', 'kept', 0));
    const lives: Promise<string | null>[] = [];
    for (let reload = 0; reload < RELOADS; reload++) {
      await tab.reload();
      lives.push(liveUntilReload(tab, db, reload));
      await pause(200);
    }
    await tab.reload();
    mustBeOk(await tab.call('join', db));
    mustBeOk(await tab.call('mutate', 'append', 'kept', 1));
    expect((await Promise.all(lives)).filter((failure) => failure !== null)).toEqual([]);
    expect(await readOrder(tab, 'kept')).toBe('kept0 kept1');
    const order = await readOrder(tab, 'reload');
    expect(new Set(order.split(' ')).size).toBe(order.split(' ').length);
    expect(await tab.errors()).toEqual([]);
  },
);
