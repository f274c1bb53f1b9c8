import { describe, expect, test } from 'vitest';
import { isThorough } from '../../support/times';
import { freshDatabase, joinLedger, mustBeOk, readOrder, shouldFailWith } from './setup';

describe('a call that ends its writers', () => {
  test('crashes three, two of them while it runs alone, and is not sent again; calls of other tabs go on, and nothing of it is left', async () => {
    const db = freshDatabase();
    const writer = await joinLedger(db);
    const tab = await joinLedger(db);
    const other = await joinLedger(db);
    const poison = tab.call('mutate', 'die', 'poison', 0);
    const calls = [0, 1, 2, 3].map((n) => other.call('mutate', 'append', 'o', n));
    expect(await poison).toMatchObject({
      ok: false,
      code: 'CALL_CRASHED_WRITER',
      details: { call: 'app.mutate', deaths: 3, outcome: 'not-executed' },
    });
    for (const call of calls) mustBeOk(await call);
    mustBeOk(await tab.call('mutate', 'append', 't', 0));
    expect(await readOrder(other)).toBe('o0 o1 o2 o3 t0');
    expect((await writer.call('readStatus')).writer?.epoch).toBe(4);
  });

  test.runIf(isThorough())('the same where it is a query', async () => {
    const db = freshDatabase();
    await joinLedger(db);
    const tab = await joinLedger(db);
    shouldFailWith(await tab.call('query', 'dieInQuery'), 'CALL_CRASHED_WRITER');
    mustBeOk(await tab.call('query', 'count'));
  });

  test.runIf(isThorough())(
    'a handler that closes its worker and returns: its call settles, and calls of other tabs go on',
    async () => {
      const db = freshDatabase();
      await joinLedger(db);
      const tab = await joinLedger(db);
      const other = await joinLedger(db);
      const outcome = await tab.call('mutate', 'closeWorker', 'closing', 0);
      if (!outcome.ok) shouldFailWith(outcome, 'CALL_CRASHED_WRITER');
      mustBeOk(await other.call('mutate', 'append', 'o', 0));
      const left = (await readOrder(other)).split(' ').filter((entry) => entry === 'closing0');
      expect(left.length).toBe(outcome.ok ? 1 : 0);
    },
  );
});

describe('a handler that never ends', () => {
  test('that its caller has given up: its worker is ended by its own tab after 10 s, and others are answered by the next', async () => {
    const db = freshDatabase();
    const writer = await joinLedger(db);
    const tab = await joinLedger(db);
    const other = await joinLedger(db);
    const startedMs = performance.now();
    const poison = tab.call('mutate', 'stallForEver', 'poison', 0, { abortAfterMs: 2_000 });
    const waiting = other.call('mutate', 'append', 'o', 0);
    expect(await poison).toMatchObject({ ok: false, code: 'ABORTED', details: { outcome: 'unknown' } });
    await writer.call('waitForEpoch', 2);
    expect(performance.now() - startedMs).toBeGreaterThan(9_000);
    mustBeOk(await waiting);
    expect(await readOrder(other)).toBe('o0');
  });

  test.runIf(isThorough()).each(['mutate', 'query'] as const)(
    'as a %s: its worker is ended by its own tab after 10 s, three times, and calls of other tabs are answered by the next writer',
    { timeout: 180_000 },
    async (kind) => {
      const db = freshDatabase();
      const writer = await joinLedger(db);
      const tab = await joinLedger(db);
      const other = await joinLedger(db);
      const startedMs = performance.now();
      const poison =
        kind === 'mutate'
          ? tab.call('mutate', 'stallForEver', 'poison', 0, { timeoutMs: 120_000 })
          : tab.call('query', 'stallForEver', { timeoutMs: 120_000 });
      const waiting = other.call('mutate', 'append', 'o', 0, { timeoutMs: 120_000 });
      await writer.call('waitForEpoch', 2);
      expect(performance.now() - startedMs).toBeGreaterThan(9_000);
      mustBeOk(await waiting);
      expect(await poison).toMatchObject({
        ok: false,
        code: 'CALL_CRASHED_WRITER',
        details: { deaths: 3, outcome: 'not-executed' },
      });
      mustBeOk(await other.call('mutate', 'append', 'o', 1, { timeoutMs: 60_000 }));
      expect(await readOrder(other)).toBe('o0 o1');
    },
  );
});
