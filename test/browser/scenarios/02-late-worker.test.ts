import { expect, test } from 'vitest';
import { freshDatabase, joinLedger, mustBeOk, readOrder } from './setup';

test('a worker whose script starts three seconds late serves its tab, and calls made meanwhile are answered', async () => {
  const db = freshDatabase();
  const tab = await joinLedger(db, { faults: 'late=3000' });
  await tab.terminateWorkers();
  const calls = [0, 1, 2].map((n) => tab.call('mutate', 'append', 'a', n));
  const bounded = await tab.call('mutate', 'append', 'never', 0, { timeoutMs: 500 });
  expect(bounded).toMatchObject({ ok: false, code: 'DEADLINE_EXCEEDED' });
  for (const call of calls) mustBeOk(await call);
  expect(await readOrder(tab)).toBe('a0 a1 a2');
});
