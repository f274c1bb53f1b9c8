import { expect, test } from 'vitest';
import { times } from '../../support/times';
import { freshDatabase, mustBeOk, openLedgerTab } from './setup';

test.each([
  { count: 2, starts: times({ some: 1, full: 50 }) },
  { count: 8, starts: times({ some: 1, full: 50 }) },
])(
  '$count tabs that start at the same moment, $starts times: all are served, by one writer',
  { timeout: 3_000_000 },
  async ({ count, starts }) => {
    for (let start = 0; start < starts; start++) {
      const db = freshDatabase();
      const tabs = await Promise.all(Array.from({ length: count }, () => openLedgerTab()));
      const statuses = (await Promise.all(tabs.map((tab) => tab.call('join', db)))).map(mustBeOk);
      expect(new Set(statuses.map(({ writer }) => writer?.serverInstanceId)).size).toBe(1);
      expect(statuses.filter(({ role }) => role === 'writer')).toHaveLength(1);
      for (const tab of tabs) mustBeOk(await tab.call('mutate', 'append', tab.id, start));
      expect((await tabs[0]?.call('readEntries'))?.length).toBe(count);
      await Promise.all(tabs.map((tab) => tab.close()));
    }
  },
);
