import { expect, test } from 'vitest';
import { CallReceipts, RECEIPT_LIFETIME_MS } from '../../worker/stores/call-receipts';
import { openTestDatabase, TestClock } from '../stores/support/store-setup';

async function setup() {
  const clock = new TestClock();
  const receipts = new CallReceipts({ database: await openTestDatabase(), clock: clock.read });
  return { clock, receipts };
}

test('a receipt is found by its call alone, whatever value it holds', async () => {
  const { receipts } = await setup();
  receipts.keep('a', { n: 1 });
  receipts.keep('b', null);
  receipts.keep('c', undefined);
  expect(receipts.find('a')).toEqual({ value: { n: 1 } });
  expect(receipts.find('b')).toEqual({ value: null });
  expect(receipts.find('c')).toEqual({});
  expect(receipts.find('d')).toBeUndefined();
});

test('a receipt lives for a week, to the millisecond', async () => {
  const { receipts, clock } = await setup();
  expect(RECEIPT_LIFETIME_MS).toBe(7 * 24 * 3_600_000);
  receipts.keep('old', 1);
  clock.move(1);
  receipts.keep('young', 2);
  clock.move(RECEIPT_LIFETIME_MS);
  expect(receipts.prune(10)).toBe(1);
  expect(receipts.find('old')).toBeUndefined();
  expect(receipts.find('young')).toEqual({ value: 2 });
});

test('pruning takes the oldest first, and no more than it may', async () => {
  const { receipts, clock } = await setup();
  for (const callId of ['third', 'first', 'second']) {
    receipts.keep(callId, callId);
    clock.move(1_000);
  }
  clock.moveDays(8);
  expect(receipts.prune(2)).toBe(2);
  expect(receipts.find('third')).toBeUndefined();
  expect(receipts.find('first')).toBeUndefined();
  expect(receipts.find('second')).toEqual({ value: 'second' });
});

test('receipts may be forgotten of calls made more than a week ago', async () => {
  const { receipts, clock } = await setup();
  const nowMs = Date.parse(clock.read());
  expect(receipts.mayHaveForgotten(nowMs - RECEIPT_LIFETIME_MS - 1)).toBe(true);
  expect(receipts.mayHaveForgotten(nowMs - RECEIPT_LIFETIME_MS)).toBe(false);
  expect(receipts.mayHaveForgotten(nowMs)).toBe(false);
});

test('they are forgotten up to where they were deleted, though the clock was set back since', async () => {
  const { receipts, clock } = await setup();
  const madeAtMs = Date.parse(clock.read());
  receipts.keep('old', 1);
  clock.move(RECEIPT_LIFETIME_MS + 5);
  receipts.prune(10);
  clock.move(-RECEIPT_LIFETIME_MS);
  expect([4, 5, 6].map((ms) => receipts.mayHaveForgotten(madeAtMs + ms))).toEqual([true, true, false]);
});

test('where nothing was deleted nothing is forgotten', async () => {
  const { receipts, clock } = await setup();
  const madeAtMs = Date.parse(clock.read());
  clock.move(RECEIPT_LIFETIME_MS + 5);
  expect(receipts.prune(10)).toBe(0);
  clock.move(-RECEIPT_LIFETIME_MS);
  expect(receipts.mayHaveForgotten(madeAtMs)).toBe(false);
});
