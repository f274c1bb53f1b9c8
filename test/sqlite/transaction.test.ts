import { describe, expect, test } from 'vitest';
import { setup } from './setup';

async function setupTitles() {
  const { database, ...rest } = await setup();
  return {
    database,
    ...rest,
    add: (title: string) => database.prepare('INSERT INTO tasks (title) VALUES (?)').run([title]),
    readTitles: () =>
      database
        .prepare('SELECT title FROM tasks ORDER BY id')
        .all()
        .map(({ title }) => title),
  };
}

describe('a transaction', () => {
  test('keeps what was written and returns the value', async () => {
    const { database, add, readTitles } = await setupTitles();
    expect(database.transaction(() => add('a').changes)).toBe(1);
    expect(readTitles()).toEqual(['a']);
    expect(database.isInTransaction).toBe(false);
  });

  test('undoes everything on a throw, which comes out unchanged', async () => {
    const { database, add, readTitles } = await setupTitles();
    const error = new Error('no');
    const work = (): never => {
      add('a');
      throw error;
    };
    expect(() => database.transaction(work)).toThrow(error);
    expect(readTitles()).toEqual([]);
  });

  test('nests: an inner throw undoes the inner part', async () => {
    const { database, add, readTitles } = await setupTitles();
    database.transaction(() => {
      add('outer');
      expect(() =>
        database.transaction(() => {
          add('inner');
          database.transaction(() => add('innermost'));
          throw new Error('inner');
        }),
      ).toThrow('inner');
      database.transaction(() => add('second inner'));
    });
    expect(readTitles()).toEqual(['outer', 'second inner']);
  });

  test('refuses a promise and undoes what was written before the first await', async () => {
    const { database, add, readTitles } = await setupTitles();
    const work = async (): Promise<void> => {
      add('a');
      await Promise.resolve();
    };
    expect(() => database.transaction(work)).toThrow(
      expect.objectContaining({ code: 'SYNC_COORDINATOR_ASYNC_TRANSACTION' }),
    );
    expect(readTitles()).toEqual([]);
  });

  test('that SQLite ended stays ended: no later write commits on its own', async () => {
    const { database, add, readTitles } = await setupTitles();
    add('taken');
    const attempts = [
      () => add('alone'),
      () => database.transaction(() => add('in another')),
      () => database.exec(`INSERT INTO tasks (title) VALUES ('by script')`),
      () => database.prepare(`INSERT INTO tasks (title) VALUES ('returned') RETURNING id`).get(),
    ];
    expect(() =>
      database.transaction(() => {
        add('before');
        expect(() =>
          database.prepare(`INSERT OR ROLLBACK INTO tasks (title) VALUES ('taken')`).run(),
        ).toThrow();
        for (const attempt of attempts) expect(attempt).toThrow('a statement ended the transaction');
        expect(readTitles()).toEqual(['taken']);
      }),
    ).toThrow('a statement ended the transaction');
    expect(readTitles()).toEqual(['taken']);
    add('afterwards');
    expect(readTitles()).toEqual(['taken', 'afterwards']);
  });

  test('does not join one that it did not begin', async () => {
    const { database, add } = await setupTitles();
    database.exec('BEGIN');
    expect(() => database.transaction(() => add('a'))).toThrow(/within a transaction/);
  });

  test('whose commit fails is undone, and the next one works', async () => {
    const { database, add, readTitles } = await setupTitles();
    database.exec(`CREATE TABLE children (task_id INTEGER REFERENCES tasks DEFERRABLE INITIALLY DEFERRED)`);
    expect(() =>
      database.transaction(() => {
        add('a');
        database.prepare('INSERT INTO children VALUES (99)').run();
        expect(database.hasDeferredViolation()).toBe(true);
      }),
    ).toThrow(expect.objectContaining({ resultCode: 787 }));
    database.transaction(() => add('b'));
    expect(readTitles()).toEqual(['b']);
  });

  test('a deferred violation is gone with the savepoint that made it', async () => {
    const { database } = await setupTitles();
    database.exec(`CREATE TABLE children (task_id INTEGER REFERENCES tasks DEFERRABLE INITIALLY DEFERRED)`);
    database.transaction(() => {
      expect(() =>
        database.transaction(() => {
          database.prepare('INSERT INTO children VALUES (99)').run();
          throw new Error('undo');
        }),
      ).toThrow('undo');
      expect(database.hasDeferredViolation()).toBe(false);
    });
  });
});
