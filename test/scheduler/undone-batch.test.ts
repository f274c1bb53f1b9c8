import { describe, expect, test } from 'vitest';
import { setup } from './setup';

const settled = (calls: readonly { outcome: Promise<{ ok: boolean }> }[]): Promise<boolean[]> =>
  Promise.all(calls.map(async ({ outcome }) => (await outcome).ok));

describe('a batch that SQLite undid as a whole is run again call by call', () => {
  test('INSERT OR ROLLBACK fails its own call and the neighbours succeed', async () => {
    const { addNote, write, database, readNotes, commits } = await setup();
    await addNote('taken').outcome;
    const sinner = (): unknown =>
      database.prepare(`INSERT OR ROLLBACK INTO notes (text) VALUES ('taken')`).run();
    const [first, guilty, last] = [addNote('a'), write(sinner), addNote('b')];
    expect(await settled([first, guilty, last])).toEqual([true, false, true]);
    expect(await guilty.outcome).toMatchObject({ error: { resultCode: 2067 } });
    expect(readNotes()).toEqual(['taken', 'a', 'b']);
    expect(commits).toEqual([1, 1, 1]);
  });

  test('RAISE(ROLLBACK) fails its own call and the neighbours succeed', async () => {
    const { addNote, write, database, readNotes } = await setup();
    database.exec(`
      CREATE TRIGGER no_parents BEFORE INSERT ON parents BEGIN SELECT RAISE(ROLLBACK, 'no parents here'); END;`);
    const first = addNote('a');
    const guilty = write(() => database.prepare('INSERT INTO parents (id) VALUES (1)').run());
    expect(await settled([first, guilty, addNote('b')])).toEqual([true, false, true]);
    expect(await guilty.outcome).toMatchObject({
      error: { message: expect.stringContaining('no parents here') },
    });
    expect(readNotes()).toEqual(['a', 'b']);
  });

  test('a call that swallows the error of INSERT OR ROLLBACK and goes on writing fails all the same', async () => {
    const { addNote, write, database, readNotes } = await setup();
    await addNote('taken').outcome;
    const first = addNote('a');
    const guilty = write(() => {
      try {
        database.prepare(`INSERT OR ROLLBACK INTO notes (text) VALUES ('taken')`).run();
      } catch {
        // As a careless handler does.
      }
      database.prepare(`INSERT INTO notes (text) VALUES ('outside any transaction')`).run();
    });
    expect(await settled([first, guilty, addNote('b')])).toEqual([true, false, true]);
    expect(await guilty.outcome).toMatchObject({ error: { name: 'TransactionEndedError' } });
    expect(readNotes()).toEqual(['taken', 'a', 'b']);
  });

  test('the four guilty kinds in one batch fail alone and all their neighbours succeed', async () => {
    const { addNote, write, database, readNotes } = await setup();
    await addNote('taken').outcome;
    database.exec(`
      CREATE TRIGGER no_parents BEFORE INSERT ON parents BEGIN SELECT RAISE(ROLLBACK, 'no parents here'); END;`);
    const calls = [
      addNote('1'),
      write(() => {
        throw new Error('of the handler');
      }),
      addNote('2'),
      write(() => database.prepare(`INSERT OR ROLLBACK INTO notes (text) VALUES ('taken')`).run()),
      addNote('3'),
      write(() => database.prepare('INSERT INTO children (parent_id) VALUES (7)').run()),
      addNote('4'),
      write(() => database.prepare('INSERT INTO parents (id) VALUES (1)').run()),
      addNote('5'),
    ];
    expect(await settled(calls)).toEqual([true, false, true, false, true, false, true, false, true]);
    expect(readNotes()).toEqual(['taken', '1', '2', '3', '4', '5']);
  });

  test('a commit that fails once costs no call anything', async () => {
    const { addNote, failNextCommits, readNotes, commits } = await setup();
    failNextCommits(1);
    expect(await settled(['a', 'b', 'c'].map(addNote))).toEqual([true, true, true]);
    expect(readNotes()).toEqual(['a', 'b', 'c']);
    expect(commits).toEqual([1, 1, 1]);
  });

  test('a commit that keeps failing fails the calls it fails for, each with its error', async () => {
    const { addNote, failNextCommits, readNotes } = await setup();
    failNextCommits(2);
    const calls = ['a', 'b', 'c'].map(addNote);
    expect(await settled(calls)).toEqual([false, true, true]);
    expect(await calls[0]?.outcome).toMatchObject({ error: { message: 'the commit failed' } });
    expect(readNotes()).toEqual(['b', 'c']);
  });

  test('calls that came later keep their place behind, and share again', async () => {
    const { addNote, write, database, readNotes, commits, scheduler } = await setup();
    await addNote('taken').outcome;
    addNote('a');
    write(() => {
      addNote('later 1');
      addNote('later 2');
      database.prepare(`INSERT OR ROLLBACK INTO notes (text) VALUES ('taken')`).run();
    });
    await scheduler.drain();
    // Run twice, the guilty call submits twice; the unique texts of its second round fail.
    expect(readNotes()).toEqual(['taken', 'a', 'later 1', 'later 2']);
    expect(commits).toEqual([1, 1, 2]);
  });

  test('a call waiting to be run again can still be cancelled', async () => {
    const { addNote, write, database, readNotes } = await setup();
    await addNote('taken').outcome;
    const first = addNote('first');
    const regretted = addNote('regretted');
    write(() => database.prepare(`INSERT OR ROLLBACK INTO notes (text) VALUES ('taken')`).run());
    await first.outcome;
    expect(regretted.cancel()).toBe(true);
    expect(await regretted.outcome).toMatchObject({ error: { code: 'ABORTED' } });
    expect(readNotes()).toEqual(['taken', 'first']);
  });
});
