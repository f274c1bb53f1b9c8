import { expect, test } from 'vitest';
import { times } from '../../support/times';
import { freshDatabase, joinLedger, openLedgerTab } from './setup';

const CONNECTS = times({ some: 4, full: 100 });

test('closing twice with calls of every kind pending ends each as CLIENT_CLOSED and leaves no unhandled rejection', async () => {
  const tab = await joinLedger(freshDatabase());
  const outcomes = await tab.call('closeWithCallsPending');
  expect(outcomes.length).toBeGreaterThan(10);
  for (const outcome of outcomes) expect(outcome).toMatchObject({ ok: false, code: 'CLIENT_CLOSED' });
  expect(await tab.call('readUnhandled')).toEqual([]);
  expect(await tab.errors()).toEqual([]);
});

test(
  `${String(CONNECTS)} clients that connect and close, one after the other, leave no lock and no unhandled rejection`,
  { timeout: 30_000 + CONNECTS * 5_000 },
  async () => {
    const db = freshDatabase();
    const tab = await openLedgerTab();
    const codes = await tab.call('connectAndClose', db, CONNECTS);
    expect(codes).toEqual(Array.from({ length: CONNECTS }, () => 'CLIENT_CLOSED'));
    expect(await tab.call('readUnhandled')).toEqual([]);
    expect(await tab.errors()).toEqual([]);
    const countLocks = async (): Promise<number> => {
      const { held = [], pending = [] } = await navigator.locks.query();
      return [...held, ...pending].filter(({ name }) => name?.includes(db)).length;
    };
    await expect.poll(countLocks, { timeout: 10_000 }).toBe(0);
  },
);
