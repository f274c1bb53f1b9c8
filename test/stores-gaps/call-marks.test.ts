import { expect, test } from 'vitest';
import { CallMarks } from '../../worker/stores/call-marks';
import { openTestDatabase, TestClock } from '../stores/support/store-setup';

const WEEK_MS = 7 * 86_400_000;

async function setup() {
  const database = await openTestDatabase();
  const clock = new TestClock();
  const marksOf = (epoch: number): CallMarks => new CallMarks({ database, clock: clock.read, epoch });
  const readRows = () => database.prepare('SELECT * FROM local_sync_call_marks ORDER BY call_id').all();
  return { database, clock, marksOf, readRows };
}

test('a mark counts the death of the writer that set it, and no other’s', async () => {
  const { marksOf } = await setup();
  marksOf(2).set('call', 0);
  expect([1, 2, 3, null].map((epoch) => marksOf(3).countDeaths('call', epoch))).toEqual([0, 1, 0, 0]);
  expect(marksOf(3).countDeaths('another', 2)).toBe(0);
});

test('a mark keeps the deaths counted before', async () => {
  const { marksOf } = await setup();
  marksOf(2).set('call', 1);
  expect([1, 2, null].map((epoch) => marksOf(3).countDeaths('call', epoch))).toEqual([1, 2, 1]);
});

test('a mark that is set again is the later writer’s, from now on', async () => {
  const { marksOf, clock, readRows } = await setup();
  marksOf(1).set('call', 0);
  marksOf(1).set('other', 2);
  const first = clock.read();
  clock.move(1);
  marksOf(2).set('call', 1);
  expect(readRows()).toEqual([
    { call_id: 'call', writer_epoch: 2, deaths: 1, marked_at: clock.read() },
    { call_id: 'other', writer_epoch: 1, deaths: 2, marked_at: first },
  ]);
});

test('a call’s mark is cleared alone', async () => {
  const { marksOf, readRows } = await setup();
  for (const callId of ['a', 'b']) marksOf(1).set(callId, 0);
  marksOf(1).clear('a');
  expect(readRows()).toMatchObject([{ call_id: 'b' }]);
});

test('marks older than a week are forgotten, and no younger ones', async () => {
  const { marksOf, clock, readRows } = await setup();
  marksOf(1).set('old', 0);
  clock.move(1);
  marksOf(1).set('young', 0);
  clock.move(WEEK_MS);
  expect(marksOf(1).prune()).toBe(1);
  expect(readRows()).toMatchObject([{ call_id: 'young' }]);
});
