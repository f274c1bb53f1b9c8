import { describe, expect, test } from 'vitest';
import { freshDatabase, joinTab, mustBeOk, shouldFailWith } from './setup';

async function countWaitingPulls(db: string): Promise<number> {
  const { pending = [] } = await navigator.locks.query();
  return pending.filter(({ name }) => name?.startsWith(`tidelock/${db}/pull/`)).length;
}

describe('gateway.pull in real tabs', () => {
  test('one that comes while another tab pulls takes over what that one applied; the next starts from there', async () => {
    const db = freshDatabase();
    const one = await joinTab(db);
    const two = await joinTab(db);
    await one.call('beginPull');
    const joined = [two.call('pullOnce'), two.call('pullOnce')];
    await expect.poll(() => countWaitingPulls(db)).toBe(2);
    const led = await one.call('answerPull', [{ id: 'a', text: 'first' }], { seq: 1 });
    expect(mustBeOk(led.outcome)).toMatchObject({ outcome: 'applied', cursor: { seq: 1 }, shared: false });
    for (const outcome of await Promise.all(joined)) {
      expect(mustBeOk(outcome)).toMatchObject({
        outcome: 'applied',
        cursor: { seq: 1 },
        shared: true,
      });
    }
    await two.call('beginPull');
    const next = await two.call('answerPull', [{ id: 'b', text: 'second' }], { seq: 2 });
    expect(mustBeOk(next.outcome)).toMatchObject({ shared: false });
    expect(next.cursor).toEqual({ seq: 1 });
    expect(await one.call('listNotes')).toEqual(['a', 'b']);
  });

  test('one that waited for a pull that came to nothing pulls for itself', async () => {
    const db = freshDatabase();
    const one = await joinTab(db);
    const two = await joinTab(db);
    await one.call('beginPull');
    const waiting = two.call('pullOnce');
    await expect.poll(() => countWaitingPulls(db)).toBe(1);
    await one.call('rejectPull');
    expect(mustBeOk(await waiting)).toMatchObject({ outcome: 'applied', shared: false });
  });

  test('a tab that dies in its turn lets the next one go on', async () => {
    const db = freshDatabase();
    const one = await joinTab(db);
    const two = await joinTab(db);
    await two.call('beginPull');
    const waiting = one.call('beginPull');
    await two.crash();
    await waiting;
    mustBeOk((await one.call('answerPull', [], { seq: 1 })).outcome);
    expect(await one.call('countOpenObligations')).toBe(0);
  });
});

describe('a pull that waits its turn', () => {
  test('ends at its timeout, at its signal, and with its client, each typed and not executed', async () => {
    const db = freshDatabase();
    const one = await joinTab(db);
    const two = await joinTab(db);
    await one.call('beginPull');
    expect(await two.call('pullOnce', { timeoutMs: 300 })).toMatchObject({
      code: 'DEADLINE_EXCEEDED',
      details: { outcome: 'not-executed' },
    });
    expect(await two.call('pullOnce', { abortAfterMs: 100 })).toMatchObject({
      code: 'ABORTED',
      details: { outcome: 'not-executed' },
    });
    const waiting = two.call('pullOnce');
    await two.call('close');
    shouldFailWith(await waiting, 'CLIENT_CLOSED');
  });

  test('has it at once when the tab before it closes its client in the middle of a request', async () => {
    const db = freshDatabase();
    const one = await joinTab(db);
    const two = await joinTab(db);
    await one.call('beginPull');
    const waiting = two.call('pullOnce');
    await one.call('close');
    expect(mustBeOk(await waiting)).toMatchObject({ outcome: 'applied' });
  });
});

describe('the gateway', () => {
  test.each(['pull', 'push'] as const)(
    'a %s aborted before its request goes out is ABORTED and leaves nothing',
    async (what) => {
      const tab = await joinTab(freshDatabase());
      expect(await tab.call('abortAtOnce', what)).toMatchObject({
        code: 'ABORTED',
        details: { outcome: 'not-executed' },
      });
      expect(await tab.call('countOpenObligations')).toBe(0);
      expect(mustBeOk(await tab.call('pushOne', 'op-1', 'accepted'))).toMatchObject([
        { outcome: 'accepted' },
      ]);
    },
  );

  test('a push that is answered without a page is settled without its handler', async () => {
    const tab = await joinTab(freshDatabase());
    expect(mustBeOk(await tab.call('pushWithoutPage', 'op-1'))).toMatchObject([{ outcome: 'accepted' }]);
    expect(await tab.call('countOpenObligations')).toBe(0);
  });

  test('refuses options that cannot be meant, before anything is issued', async () => {
    const tab = await joinTab(freshDatabase());
    const outcomes = await tab.call('callWithoutTypes');
    const paths = Object.entries(outcomes).map(([name, outcome]) => [
      name,
      outcome.ok ? 'ok' : `${outcome.code} ${String(outcome.details['path'])}`,
    ]);
    expect(Object.fromEntries(paths)).toEqual({
      pullWithoutRequest: 'INVALID_INPUT request',
      pullWithoutApply: 'INVALID_INPUT apply',
      pushWithoutRequest: 'INVALID_INPUT request',
      pushOfText: 'INVALID_INPUT operations',
      pushOfNull: 'INVALID_INPUT operations[0]',
      pushWithoutIdentity: 'INVALID_INPUT operations[0].identity',
      pushTwice: 'INVALID_INPUT operations[1].identity',
      pushTooMany: 'INVALID_INPUT operations',
      openWithoutPrincipal: 'INVALID_INPUT principal',
    });
    expect(await tab.call('countOpenObligations')).toBe(0);
  });

  test('takes nonsense from a request, and answers that contradict each other, for an unknown outcome', async () => {
    const tab = await joinTab(freshDatabase());
    expect(await tab.call('pushNonsense')).toEqual(['unknown', 'unknown', 'unknown', 'unknown']);
  });
});

describe('gateway.push in real tabs', () => {
  test('an operation that one tab is sending is busy in the other, and accepted it is not sent again', async () => {
    const db = freshDatabase();
    const one = await joinTab(db);
    const two = await joinTab(db);
    await one.call('beginHangingPush', 'op-1', 1_000);
    expect(mustBeOk(await two.call('pushOne', 'op-1', 'accepted'))).toMatchObject([{ outcome: 'busy' }]);
    expect(mustBeOk(await one.call('endHangingPush'))).toMatchObject([{ outcome: 'unknown' }]);
    expect(await two.call('countOpenObligations')).toBe(1);
    expect(mustBeOk(await two.call('pushOne', 'op-1', 'accepted'))).toMatchObject([{ outcome: 'accepted' }]);
    expect(await two.call('countOpenObligations')).toBe(0);
    expect(mustBeOk(await one.call('pushOne', 'op-1', 'accepted'))).toMatchObject([
      { outcome: 'already-accepted' },
    ]);
  });

  test('a failed request is unknown, a refusal is rejected', async () => {
    const tab = await joinTab(freshDatabase());
    expect(mustBeOk(await tab.call('pushOne', 'op-1', 'throw'))).toMatchObject([{ outcome: 'unknown' }]);
    expect(await tab.call('countOpenObligations')).toBe(1);
    expect(mustBeOk(await tab.call('pushOne', 'op-1', 'rejected'))).toMatchObject([{ outcome: 'rejected' }]);
    expect(await tab.call('countOpenObligations')).toBe(0);
  });

  test('a push that hangs in a tab that is closed is free for another tab', async () => {
    const db = freshDatabase();
    const one = await joinTab(db);
    const two = await joinTab(db);
    await two.call('beginHangingPush', 'op-1', 60_000);
    expect(mustBeOk(await one.call('pushOne', 'op-1', 'accepted'))).toMatchObject([{ outcome: 'busy' }]);
    await two.crash();
    await expect
      .poll(async () => mustBeOk(await one.call('pushOne', 'op-1', 'accepted')))
      .toMatchObject([{ outcome: 'accepted' }]);
    expect(await one.call('countOpenObligations')).toBe(0);
  });
});
