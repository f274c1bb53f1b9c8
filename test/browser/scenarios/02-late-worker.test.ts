import { expect, test } from 'vitest';
import { freshDatabase, joinLedger, mustBeOk, openLedgerTab, readOrder } from './setup';

test('a worker whose script starts three seconds late keeps nobody from being served', async () => {
  const db = freshDatabase();
  const late = await openLedgerTab();
  const joining = late.call('join', db, { faults: 'late=3000' });
  mustBeOk(await joining);
  mustBeOk(await late.call('mutate', 'append', 'a', 0));
  expect(await readOrder(late)).toBe('a0');
});

test('calls made while the next worker is three seconds late are answered by it', async () => {
  const db = freshDatabase();
  const tab = await joinLedger(db, { faults: 'late=3000' });
  await tab.terminateWorkers();
  const calls = [0, 1, 2].map((n) => tab.call('mutate', 'append', 'a', n));
  const bounded = await tab.call('mutate', 'append', 'never', 0, { timeoutMs: 500 });
  expect(bounded).toMatchObject({ ok: false, code: 'DEADLINE_EXCEEDED' });
  for (const call of calls) mustBeOk(await call);
  expect(await readOrder(tab)).toBe('a0 a1 a2');
});
