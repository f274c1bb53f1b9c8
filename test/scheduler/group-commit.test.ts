import { describe, expect, test } from 'vitest';
import { BATCH_WORK_MS } from '../../worker/scheduler/write-batch';
import { setup } from './setup';

const outcomesOf = (calls: readonly { outcome: Promise<unknown> }[]): Promise<unknown[]> =>
  Promise.all(calls.map(({ outcome }) => outcome));

describe('writes that wait share one commit', () => {
  test('sixteen writes of one message take one commit', async () => {
    const { addNote, commits, countTransactions, readNotes } = await setup();
    const texts = Array.from({ length: 16 }, (_, i) => `note ${i}`);
    const outcomes = await outcomesOf(texts.map(addNote));
    expect(outcomes).toEqual(texts.map(() => ({ ok: true, value: 1 })));
    expect(commits).toEqual([16]);
    expect(countTransactions()).toBe(1);
    expect(readNotes()).toEqual(texts);
  });

  test('a write alone takes one transaction and no savepoint', async () => {
    const { addNote, database, write, commits } = await setup();
    const depths: boolean[] = [];
    await write(() => depths.push(database.isInTransaction)).outcome;
    await addNote('one').outcome;
    expect(depths).toEqual([true]);
    expect(commits).toEqual([1, 1]);
  });

  test('writes that arrive while a batch runs share the next one', async () => {
    const { addNote, write, scheduler, commits } = await setup();
    write(() => {
      addNote('late 1');
      addNote('late 2');
    });
    await scheduler.drain();
    expect(commits).toEqual([1, 2]);
  });

  test('a call is settled only after its commit', async () => {
    const { database, scheduler } = await setup();
    const seen: boolean[] = [];
    for (const id of [1, 2]) {
      scheduler.submit({
        kind: 'write',
        deadlineAt: null,
        work: () => database.prepare('INSERT INTO parents (id) VALUES (?)').run([id]),
        settle: () => seen.push(database.isInTransaction),
      });
    }
    await scheduler.drain();
    expect(seen).toEqual([false, false]);
  });

  test('writes run in the order they were submitted', async () => {
    const { addNote, scheduler, readNotes } = await setup();
    for (const text of ['c', 'a', 'b']) addNote(text);
    await scheduler.drain();
    expect(readNotes()).toEqual(['c', 'a', 'b']);
  });

  test('a batch takes in no more calls once its time is up, and the rest share the next', async () => {
    const { clock, write, scheduler, commits } = await setup();
    for (let i = 0; i < 6; i += 1) write(() => (clock.monotonicMs += BATCH_WORK_MS / 2));
    await scheduler.drain();
    expect(commits).toEqual([2, 2, 2]);
  });

  test('a queue longer than any batch is worked off in order', async () => {
    const { addNote, scheduler, readNotes, commits } = await setup();
    const texts = Array.from({ length: 1_100 }, (_, i) => String(i));
    for (const text of texts) addNote(text);
    await scheduler.drain();
    expect(commits).toEqual([512, 512, 76]);
    expect(readNotes()).toEqual(texts);
  });
});

describe('a failing call is undone alone', () => {
  test('an error is the call’s own and its neighbours are kept', async () => {
    const { addNote, write, database, commits, readNotes } = await setup();
    const error = new Error('of the handler');
    const calls = [
      addNote('before'),
      write(() => {
        database.prepare(`INSERT INTO notes (text) VALUES ('half')`).run();
        throw error;
      }),
      addNote('after'),
    ];
    const [, failed] = await outcomesOf(calls);
    expect(failed).toEqual({ ok: false, error });
    expect(commits).toEqual([2]);
    expect(readNotes()).toEqual(['before', 'after']);
  });

  test('a failed call alone in its batch commits nothing', async () => {
    const { write, commits, database } = await setup();
    await write(() => {
      database.prepare(`INSERT INTO notes (text) VALUES ('half')`).run();
      throw new Error('no');
    }).outcome;
    expect(commits).toEqual([]);
    expect(database.prepare('SELECT count(*) AS n FROM notes').get()).toEqual({ n: 0 });
  });

  test('a returned promise is refused and its writes are undone', async () => {
    const { addNote, write, database, readNotes } = await setup();
    const calls = [
      addNote('before'),
      write(async () => {
        database.prepare(`INSERT INTO notes (text) VALUES ('async')`).run();
        await Promise.resolve();
      }),
    ];
    const [, refused] = await outcomesOf(calls);
    expect(refused).toMatchObject({ ok: false, error: { code: 'SYNC_COORDINATOR_ASYNC_TRANSACTION' } });
    expect(readNotes()).toEqual(['before']);
  });

  test('a deferred foreign key left violated fails its call, and only that one', async () => {
    const { addNote, write, database, commits, readNotes } = await setup();
    const orphan = (): unknown => database.prepare('INSERT INTO children (parent_id) VALUES (7)').run();
    const calls = [addNote('before'), write(orphan), addNote('after')];
    const [, failed] = await outcomesOf(calls);
    expect(failed).toMatchObject({ ok: false, error: { name: 'DeferredForeignKeyError', resultCode: 787 } });
    expect(commits).toEqual([2]);
    expect(readNotes()).toEqual(['before', 'after']);
    expect(await write(orphan).outcome).toMatchObject({ error: { resultCode: 787 } });
  });

  test('a deferred foreign key may be violated in between', async () => {
    const { addNote, write, database, commits } = await setup();
    addNote('neighbour');
    const { outcome } = write(() => {
      database.prepare('INSERT INTO children (parent_id) VALUES (7)').run();
      database.prepare('INSERT INTO parents (id) VALUES (7)').run();
    });
    expect(await outcome).toMatchObject({ ok: true });
    expect(commits).toEqual([2]);
  });
});
