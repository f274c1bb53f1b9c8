import { expect, test } from 'vitest';
import { openTab } from '../support/open-tab';
import { freshDatabase, mustBeOk, readOrder, type LedgerTab } from './setup';

async function joinWithout(db: string): Promise<LedgerTab> {
  const tab = await openTab<typeof import('../pages/ledger')>({
    module: '/bundled/ledger.js',
    without: ['SharedWorker'],
  });
  expect(await tab.evaluate(() => 'SharedWorker' in globalThis)).toBe(false);
  mustBeOk(await tab.call('join', db));
  return tab;
}

test('tabs whose browser has no SharedWorker share one writer, hear of each other, and survive its death', async () => {
  const db = freshDatabase();
  const writer = await joinWithout(db);
  const others = [await joinWithout(db), await joinWithout(db)];
  const tabs = [writer, ...others];
  await Promise.all(tabs.map(async (tab, n) => mustBeOk(await tab.call('mutate', 'append', 't', n))));
  for (const tab of tabs) expect(mustBeOk(await tab.call('query', 'count'))).toBe(3);
  const statuses = await Promise.all(tabs.map((tab) => tab.call('readStatus')));
  expect(new Set(statuses.map((status) => status.writer?.serverInstanceId)).size).toBe(1);
  expect(statuses.map(({ role }) => role)).toEqual(['writer', 'follower', 'follower']);
  await writer.crash();
  for (const [n, tab] of others.entries()) mustBeOk(await tab.call('mutate', 'append', 'after', n));
  for (const tab of others) {
    expect(await readOrder(tab, 'after')).toBe('after0 after1');
    expect((await tab.call('readStatus')).writer?.epoch).toBe(2);
    expect(await tab.errors()).toEqual([]);
  }
});
