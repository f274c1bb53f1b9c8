/** Several tabs of one database, in WebKit and in memory: who writes, and who is told. */
import { expect, test } from 'vitest';
import { freshDatabase, mustBeOk, readOrder, shouldStandInLine, useWebkit } from './support/use-webkit';

const webkit = useWebkit();
const TOGETHER = 4;

test('three tabs have one writer, and what a follower mutates and queries is answered', async () => {
  const db = freshDatabase();
  const writer = await webkit.join(db);
  const followers = [await webkit.join(db), await webkit.join(db)];
  expect(await writer.call('readStatus')).toMatchObject({ role: 'writer', storage: 'memory' });
  for (const [n, follower] of followers.entries()) {
    expect((await follower.call('readStatus')).role).toBe('follower');
    mustBeOk(await follower.call('mutate', 'append', 'f', n));
    expect(mustBeOk(await follower.call('query', 'count'))).toBe(n + 1);
  }
  mustBeOk(await writer.call('mutate', 'append', 'w', 0));
  for (const tab of [writer, ...followers]) expect(await readOrder(tab)).toBe('f0 f1 w0');
});

test('four tabs that start at the same moment have one writer and a session each, and all are served', async () => {
  const db = freshDatabase();
  const tabs = await Promise.all(Array.from({ length: TOGETHER }, () => webkit.open()));
  const joined = await Promise.all(tabs.map((tab) => tab.call('join', db, { storage: 'memory' })));
  const statuses = joined.map(mustBeOk);
  expect(new Set(statuses.map(({ writer }) => writer?.serverInstanceId)).size).toBe(1);
  expect(new Set(statuses.map(({ sessionId }) => sessionId)).size).toBe(TOGETHER);
  expect(statuses.filter(({ role }) => role === 'writer')).toHaveLength(1);
  await Promise.all(tabs.map(async (tab, n) => mustBeOk(await tab.call('mutate', 'append', 't', n))));
  expect((await tabs[0]?.call('readEntries'))?.length).toBe(TOGETHER);
});

test('a change made in any tab is told in every other', async () => {
  const db = freshDatabase();
  const tabs = [await webkit.join(db), await webkit.join(db), await webkit.join(db)];
  for (const tab of tabs) await tab.call('recordChanges');
  for (const [n, tab] of tabs.entries()) {
    mustBeOk(await tab.call('mutate', 'append', 't', n));
    for (const other of tabs)
      await expect.poll(async () => (await other.call('readChanges')).at(-1), { timeout: 5_000 }).toBe(n + 1);
  }
});

test('a call of each kind that fails is answered with its code, and the calls beside it are answered well', async () => {
  const db = freshDatabase();
  await webkit.join(db);
  const follower = await webkit.join(db);
  const provoked = await follower.call('provokeErrors');
  expect(provoked.length).toBeGreaterThan(20);
  expect(provoked.filter(({ code }) => !/^([A-Z_]+|ok)$/.test(code))).toEqual([]);
  expect(provoked.flatMap(({ after }) => after).filter((code) => code !== 'ok')).toEqual([]);
  expect(await follower.call('readUnhandled')).toEqual([]);
});

test('a hand-over makes the other tab the writer, and the first one stands in line again', async () => {
  const db = freshDatabase();
  const first = await webkit.join(db);
  const second = await webkit.join(db);
  await shouldStandInLine(second);
  mustBeOk(await second.call('handOver'));
  await second.call('waitForRole', 'writer');
  await first.call('waitForRole', 'follower');
  await shouldStandInLine(first);
  mustBeOk(await first.call('openWorkspace', 'w-1'));
  mustBeOk(await first.call('mutate', 'append', 'after', 0));
  expect(await readOrder(second)).toBe('after0');
});
