import { expect, test } from 'vitest';
import type { Outcome } from '../pages/settle';
import { freshDatabase, joinLedger, mustBeOk, readOrder, takeWriterPlace, type LedgerTab } from './setup';

function mustHaveCallId(outcome: Outcome<unknown>): string {
  if (!outcome.ok && typeof outcome.details['callId'] === 'string') return outcome.details['callId'];
  throw new Error(`wanted an error with a call id, was ${JSON.stringify(outcome)}`);
}

async function readOutcome(tab: LedgerTab, callId: string): Promise<unknown> {
  return mustBeOk(await tab.call('readOutcome', callId));
}

test('a call that timed out while it waited for a busy writer does not run later, and its outcome says so', async () => {
  const db = freshDatabase();
  const writer = await joinLedger(db);
  const tab = await joinLedger(db);
  const ended = await tab.call('mutate', 'append', 'never', 0, { behindMs: 1_000, timeoutMs: 300 });
  expect(ended).toMatchObject({ ok: false, code: 'DEADLINE_EXCEEDED', details: { outcome: 'unknown' } });
  mustBeOk(await tab.call('mutate', 'append', 'a', 0));
  expect(await readOrder(writer)).toBe('a0');
  expect(await readOutcome(tab, mustHaveCallId(ended))).toEqual({ status: 'not-executed' });
});

/** The word of the abort and the call itself reach a busy writer together: which comes first is not promised. */
test('of a call that was aborted while it waited for a busy writer, its outcome tells the truth', async () => {
  const db = freshDatabase();
  const writer = await joinLedger(db);
  const tab = await joinLedger(db);
  const ended = await tab.call('mutate', 'append', 'perhaps', 0, { behindMs: 1_000, abortAfterMs: 300 });
  expect(ended).toMatchObject({ ok: false, code: 'ABORTED', details: { outcome: 'unknown' } });
  const outcome = await readOutcome(tab, mustHaveCallId(ended));
  const isDone = (await readOrder(writer)) === 'perhaps0';
  expect(outcome).toMatchObject({ status: isDone ? 'done' : 'not-executed' });
  mustBeOk(await tab.call('mutate', 'append', 'a', 0));
  expect(await readOrder(writer)).toBe(isDone ? 'perhaps0 a0' : 'a0');
});

test('a call that timed out while it ran was admitted: it is done once, and its answer can be read by its id, in any tab', async () => {
  const db = freshDatabase();
  const writer = await joinLedger(db);
  const tab = await joinLedger(db);
  const ended = await tab.call('appendSlowly', 'a', 0, 1_000, 300);
  expect(ended).toMatchObject({ ok: false, code: 'DEADLINE_EXCEEDED', details: { outcome: 'unknown' } });
  const callId = mustHaveCallId(ended);
  await expect
    .poll(() => readOutcome(tab, callId), { timeout: 10_000 })
    .toEqual({ status: 'done', value: null });
  expect(await readOrder(tab)).toBe('a0');
  expect(await readOutcome(writer, callId)).toEqual({ status: 'done', value: null });
  await writer.crash();
  await tab.reload();
  mustBeOk(await tab.call('join', db));
  expect(await readOutcome(tab, callId)).toEqual({ status: 'done', value: null });
  expect(await readOrder(tab)).toBe('a0');
});

test('a call that timed out with no writer there does not run under the next one', async () => {
  const db = freshDatabase();
  const tab = await joinLedger(db);
  const place = takeWriterPlace(db);
  await tab.terminateWorkers();
  await place.granted;
  const ended = await tab.call('mutate', 'append', 'never', 0, { timeoutMs: 300 });
  place.release();
  mustBeOk(await tab.call('mutate', 'append', 'a', 0));
  expect(await readOrder(tab)).toBe('a0');
  expect(await readOutcome(tab, mustHaveCallId(ended))).toEqual({ status: 'not-executed' });
});
