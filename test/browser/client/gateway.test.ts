import { describe, expect, test } from 'vitest';
import { freshDatabase, joinTab, mustBeOk } from './setup';

describe('gateway.pull in real tabs', () => {
  test('pulls of one stream follow each other over tabs, each from the cursor the other left', async () => {
    const db = freshDatabase();
    const one = await joinTab(db);
    const two = await joinTab(db);
    await one.call('beginPull');
    const second = two.call('beginPull');
    mustBeOk((await one.call('answerPull', [{ id: 'a', text: 'first' }], { seq: 1 })).outcome);
    await second;
    const { outcome, cursor } = await two.call('answerPull', [{ id: 'b', text: 'second' }], { seq: 2 });
    mustBeOk(outcome);
    expect(cursor).toEqual({ seq: 1 });
    expect(await one.call('listNotes')).toEqual(['a', 'b']);
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
