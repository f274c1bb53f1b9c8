/** `COI=1` runs every test cross-origin isolated; this one has pages of both kinds at once, in every run. */
import { expect, test } from 'vitest';
import { openTab } from '../support/open-tab';
import { freshDatabase, joinLedger, mustBeOk, readOrder, type LedgerTab } from './setup';

async function joinIsolated(db: string): Promise<LedgerTab> {
  const tab = await openTab<typeof import('../pages/ledger')>({
    module: '/bundled/ledger.js',
    origin: 'isolated',
  });
  mustBeOk(await tab.call('join', db));
  return tab;
}

test('isolated pages and others share one writer, whichever kind it is, and take over from each other', async () => {
  const db = freshDatabase();
  const plain = await joinLedger(db);
  const isolated = await joinIsolated(db);
  const isIsolated = (tab: LedgerTab): Promise<boolean> => tab.evaluate(() => crossOriginIsolated);
  expect(await isIsolated(isolated)).toBe(true);
  expect(await isIsolated(plain), 'as every other page of this run').toBe(crossOriginIsolated);
  for (const tab of [plain, isolated]) mustBeOk(await tab.call('mutate', 'append', 'plain', 0));
  expect(mustBeOk(await isolated.call('query', 'isIsolated')), 'the writer').toBe(crossOriginIsolated);
  await plain.crash();
  expect(await isolated.call('waitForRole', 'writer')).toBe(2);
  expect(mustBeOk(await isolated.call('query', 'isIsolated')), 'the writer').toBe(true);
  mustBeOk(await isolated.call('mutate', 'append', 'isolated', 0));
  const next = await joinLedger(db);
  mustBeOk(await next.call('mutate', 'append', 'next', 0));
  await isolated.crash();
  expect(await next.call('waitForRole', 'writer')).toBe(3);
  expect(await readOrder(next)).toBe('plain0 plain0 isolated0 next0');
  expect(mustBeOk(await next.call('query', 'isIsolated')), 'the writer').toBe(crossOriginIsolated);
});
