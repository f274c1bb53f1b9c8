import { describe, expect, test } from 'vitest';
import { readSentinel } from '../../../worker/sqlite/sentinel';
import { freshDatabase, joinLedger, mustBeOk, openLedgerTab, shouldFailWith } from './setup';

/** As private windows say it: Firefox, and WebKit. */
describe.each(['SecurityError', 'UnknownError'])('where getDirectory rejects with %s', (name) => {
  const faults = `blocked=${name}`;

  test('connect is STORAGE_BLOCKED each time, holds nothing, and falls back to nothing', async () => {
    const db = freshDatabase();
    const tab = await openLedgerTab();
    for (let attempt = 0; attempt < 2; attempt++) {
      const outcome = await tab.call('join', db, { faults });
      shouldFailWith(outcome, 'STORAGE_BLOCKED');
      expect(outcome).toMatchObject({ message: expect.stringMatching(/memory/), details: { name } });
    }
    const countLocks = async (): Promise<number> => {
      const { held = [], pending = [] } = await navigator.locks.query();
      return [...held, ...pending].filter((lock) => lock.name?.includes(db)).length;
    };
    await expect.poll(countLocks).toBe(0);
    expect(await readSentinel(db), 'no database is said to exist').toBeNull();
    expect(await tab.call('readUnhandled')).toEqual([]);
  });

  test('memory is there for those who ask for it, shared by their tabs, and the status says so', async () => {
    const db = freshDatabase();
    const options = { faults, storage: 'memory' } as const;
    const first = await joinLedger(db, options);
    const second = await joinLedger(db, options);
    mustBeOk(await first.call('mutate', 'append', 'a', 0));
    expect(mustBeOk(await second.call('query', 'count'))).toBe(1);
    for (const tab of [first, second]) {
      const { storage, writer } = await tab.call('readStatus');
      expect([storage, writer?.storage]).toEqual(['memory', 'memory']);
    }
  });
});

test('a tab whose worker is refused storage is served by another tab’s, and its status says what is wrong', async () => {
  const db = freshDatabase();
  const writer = await joinLedger(db);
  const refused = await joinLedger(db, { faults: 'blocked=SecurityError' });
  mustBeOk(await refused.call('mutate', 'append', 'a', 0));
  await writer.crash();
  await refused.call('waitForStage', 'failed');
  expect(await refused.call('readStatus')).toMatchObject({
    role: 'follower',
    workerError: expect.stringMatching(/refuses storage/),
  });
  const late = refused.call('mutate', 'append', 'b', 0, { timeoutMs: 500 });
  shouldFailWith(await late, 'DEADLINE_EXCEEDED');
  const next = await joinLedger(db);
  mustBeOk(await refused.call('mutate', 'append', 'c', 0));
  expect(mustBeOk(await next.call('query', 'count'))).toBe(2);
});

test('where IndexedDB is refused too, an absent database is STORAGE_BLOCKED, and one that is there opens', async () => {
  const db = freshDatabase();
  const tab = await openLedgerTab();
  shouldFailWith(await tab.call('join', db, { faults: 'noIndexedDb' }), 'STORAGE_BLOCKED');
  mustBeOk(await tab.call('join', db));
  mustBeOk(await tab.call('mutate', 'append', 'kept', 0));
  await tab.close();
  const again = await joinLedger(db, { faults: 'noIndexedDb' });
  expect(mustBeOk(await again.call('query', 'count'))).toBe(1);
});
