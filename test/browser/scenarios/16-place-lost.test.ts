/** A writer that lost its place, by whatever force, writes nothing afterwards. */
import { expect, test } from 'vitest';
import { lockNames } from '../../../src/protocol/names';
import { freshDatabase, joinLedger, mustBeOk, pause, readOrder, watchWriters } from './setup';

test('a writer whose lock is stolen ends; what it had answered is there, and the calls go on with the next one', async () => {
  const db = freshDatabase();
  const writer = await joinLedger(db);
  const other = await joinLedger(db);
  const { epochs, wentBack } = watchWriters(db);
  mustBeOk(await other.call('mutate', 'append', 'o', 0));
  const range = { from: 0, to: 100, longestGapMs: 10 };
  const writing = [writer.call('appendAll', 'w', range), other.call('appendAll', 'p', range)];
  await pause(200);
  // No part of the library ever does this: another script of the origin may.
  await navigator.locks.request(lockNames.writer(db), { steal: true }, () => pause(1_000));
  expect((await Promise.all(writing)).flat(), 'no call fails').toEqual([]);
  const order = await readOrder(other);
  const all = (name: string): string =>
    Array.from({ length: 100 }, (_, n) => `${name}${String(n)}`).join(' ');
  const of = (name: string): string =>
    order
      .split(' ')
      .filter((entry) => entry.startsWith(name))
      .join(' ');
  expect([of('w'), of('p'), of('o')]).toEqual([all('w'), all('p'), 'o0']);
  expect(epochs).toEqual([2]);
  expect(wentBack).toEqual([]);
});

test('what a writer was still to run when it lost the place is run by the next, once', async () => {
  const db = freshDatabase();
  const writer = await joinLedger(db);
  const other = await joinLedger(db);
  const asked = writer.call('appendSlowly', 'slow', 0, 600, 30_000);
  const behind = other.call('mutate', 'append', 'behind', 0);
  await pause(150);
  await navigator.locks.request(lockNames.writer(db), { steal: true }, () => pause(100));
  mustBeOk(await asked);
  mustBeOk(await behind);
  const entries = await other.call('readEntries');
  expect(entries.map(({ tab }) => tab).toSorted()).toEqual(['behind', 'slow']);
});
