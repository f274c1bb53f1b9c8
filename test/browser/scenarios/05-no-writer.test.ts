import { expect, test } from 'vitest';
import {
  freshDatabase,
  joinLedger,
  mustBeOk,
  openLedgerTab,
  readOrder,
  shouldFailWith,
  takeWriterPlace,
} from './setup';

test('with no writer at all, calls end at their deadline, at their signal and with their client', async () => {
  const db = freshDatabase();
  const tab = await joinLedger(db);
  const other = await joinLedger(db);
  const place = takeWriterPlace(db);
  await Promise.all([tab.terminateWorkers(), other.terminateWorkers()]);
  await place.granted;

  expect(await tab.call('mutate', 'append', 'late', 0, { timeoutMs: 500 })).toMatchObject({
    code: 'DEADLINE_EXCEEDED',
    details: { call: 'app.mutate' },
  });
  shouldFailWith(await tab.call('mutate', 'append', 'given up', 0, { abortAfterMs: 100 }), 'ABORTED');
  shouldFailWith(await tab.call('query', 'count', { timeoutMs: 500 }), 'DEADLINE_EXCEEDED');
  const closing = other.call('mutate', 'append', 'closed', 0);
  await other.call('close');
  shouldFailWith(await closing, 'CLIENT_CLOSED');

  const waiting = tab.call('mutate', 'append', 'a', 0);
  place.release();
  mustBeOk(await waiting);
  expect(await readOrder(tab)).toBe('a0');
});

test('a connect ends at its signal and at its start timeout, which names who holds the writer’s place', async () => {
  const db = freshDatabase();
  const place = takeWriterPlace(db);
  await place.granted;
  const tab = await openLedgerTab();
  const [tookMs, aborted] = await tab.call('joinAborted', db, 300);
  shouldFailWith(aborted, 'ABORTED');
  expect(tookMs).toBeGreaterThanOrEqual(290);
  expect(await tab.call('join', db, { startTimeoutMs: 4_000 })).toMatchObject({
    ok: false,
    code: 'WRITER_UNRESPONSIVE',
    details: {
      stage: 'waiting',
      timeoutMs: 4_000,
      holder: { sessionId: null, clientId: expect.any(String) },
    },
  });
  place.release();
  mustBeOk(await tab.call('join', db));
});
