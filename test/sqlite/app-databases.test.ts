import { describe, expect, test } from 'vitest';
import type { AppDatabase } from '../../worker/sqlite/app-database';
import { setup } from './setup';

describe('the db of a handler', () => {
  test('takes positional and named parameters', async () => {
    const { apps, database } = await setup();
    const { value } = database.transaction(() =>
      apps.write((db) => {
        db.run('INSERT INTO tasks (title, done) VALUES (?, ?)', ['a', 1]);
        db.run('INSERT INTO tasks (title, done) VALUES (:title, @done)', { title: 'b', '@done': 0 });
        return db.all('SELECT title, done FROM tasks WHERE id > $id ORDER BY id', { id: 0 });
      }),
    );
    expect(value).toEqual([
      { title: 'a', done: 1 },
      { title: 'b', done: 0 },
    ]);
  });

  test.each<[string, string, Record<string, string>, RegExp]>([
    ['a name the statement has not', 'SELECT :a', { a: '', b: '' }, /no parameter "b"/],
    ['no value for a name it has', 'SELECT :a, :b', { a: '' }, /no value given for parameter ":b"/],
    ['names where it has none', 'SELECT ?', { a: '' }, /parameter 1 has no name/],
  ])('refuses %s', async (_name, sql, params, message) => {
    const { apps } = await setup();
    expect(() => apps.read((db) => db.get(sql, params))).toThrow(message);
  });

  test('nests a transaction that can be undone alone', async () => {
    const { apps, database, read } = await setup();
    database.transaction(() =>
      apps.write((db) => {
        db.run(`INSERT INTO tasks (title) VALUES ('kept')`);
        expect(() =>
          db.transaction(() => {
            db.run(`INSERT INTO tasks (title) VALUES ('undone')`);
            throw new Error('undo');
          }),
        ).toThrow('undo');
        return db.transaction(() => db.run(`INSERT INTO tasks (title) VALUES ('kept too')`).changes);
      }),
    );
    expect(read('SELECT title FROM tasks')).toEqual([{ title: 'kept' }, { title: 'kept too' }]);
  });

  test('is dead once the handler has returned', async () => {
    const { apps, database } = await setup();
    let kept: AppDatabase | undefined;
    database.transaction(() => apps.write((db) => (kept = db)));
    const attempts = [
      () => kept?.run('DELETE FROM tasks'),
      () => kept?.all('SELECT 1'),
      () => kept?.get('SELECT 1'),
      () => kept?.transaction(() => 1),
    ];
    for (const attempt of attempts) expect(attempt).toThrow('lent to a handler that has returned');
  });

  test('an async handler is refused, and what it does later fails', async () => {
    const { apps, database, read } = await setup();
    let later: Promise<unknown> = Promise.resolve();
    const handler = (db: AppDatabase): Promise<unknown> => {
      later = (async () => {
        await Promise.resolve();
        return db.run(`INSERT INTO tasks (title) VALUES ('late')`);
      })();
      return later;
    };
    expect(() => database.transaction(() => apps.write(handler))).toThrow(
      expect.objectContaining({ code: 'SYNC_COORDINATOR_ASYNC_TRANSACTION' }),
    );
    await expect(later).rejects.toThrow('lent to a handler that has returned');
    expect(read('SELECT * FROM tasks')).toEqual([]);
  });

  test('a handler that swallows the end of its transaction fails all the same', async () => {
    const { apps, database, write, read } = await setup();
    write(`INSERT INTO tasks (title) VALUES ('taken')`);
    const sinner = (db: AppDatabase): void => {
      db.run(`INSERT INTO logs (text) VALUES ('before')`);
      expect(() => db.run(`INSERT OR ROLLBACK INTO tasks (title) VALUES ('taken')`)).toThrow();
      expect(() => db.run(`INSERT INTO logs (text) VALUES ('after')`)).toThrow('ended the transaction');
    };
    expect(() => database.transaction(() => apps.write(sinner))).toThrow('ended the transaction');
    expect(read('SELECT * FROM logs')).toEqual([]);
  });

  test('a handler that writes needs an open transaction', async () => {
    const { apps } = await setup();
    expect(() => apps.write((db) => db.run('DELETE FROM tasks'))).toThrow('needs an open transaction');
  });

  test('keeps a bounded number of statements', async () => {
    const { apps } = await setup();
    const { value } = apps.read((db) =>
      Array.from({ length: 600 }, (_, i) => db.get(`SELECT ${i} AS i`)?.['i']),
    );
    expect(value).toEqual(Array.from({ length: 600 }, (_, i) => i));
  });
});

describe('what a handler touched', () => {
  test('tables are named for reads and writes, through views, triggers and cascades', async () => {
    const { database, apps } = await setup();
    database.exec(`
      CREATE VIEW open_tasks AS SELECT * FROM tasks WHERE done = 0;
      CREATE TABLE notes (task_id INTEGER REFERENCES tasks ON DELETE CASCADE);
      CREATE TRIGGER log_tasks AFTER DELETE ON tasks BEGIN INSERT INTO logs (text) VALUES (old.title); END;`);
    const read = apps.read((db) => db.all('SELECT title FROM open_tasks'));
    expect(read.reads).toContain('tasks');
    expect([...read.writes]).toEqual([]);
    const deleteAll = () => database.transaction(() => apps.write((db) => db.run('DELETE FROM Tasks')));
    database.exec(`INSERT INTO tasks (title) VALUES ('one')`);
    expect([...deleteAll().writes].toSorted()).toEqual(['logs', 'notes', 'tasks']);
    expect([...deleteAll().writes]).toEqual([]); // there was nothing left to write
  });

  test('a statement that fails after it has written names its tables', async () => {
    const { database, apps } = await setup();
    const { writes } = database.transaction(() =>
      apps.write((db) => {
        const twice = `INSERT OR FAIL INTO tasks (title) VALUES ('one'), ('one')`;
        expect(() => db.run(twice)).toThrow('UNIQUE');
      }),
    );
    expect([...writes]).toEqual(['tasks']);
  });

  test('a second use of a kept statement names them again', async () => {
    const { apps } = await setup();
    const read = () => apps.read((db) => db.all('SELECT id FROM logs'));
    read();
    expect([...read().reads]).toEqual(['logs']);
  });

  test('the virtual table is named, not its shadow tables alone', async () => {
    const { database, apps } = await setup();
    database.exec('CREATE VIRTUAL TABLE texts USING fts5(body)');
    const { writes } = database.transaction(() =>
      apps.write((db) => db.run(`INSERT INTO texts VALUES ('a')`)),
    );
    expect(writes).toContain('texts');
    const { reads } = apps.read((db) => db.all(`SELECT * FROM texts WHERE texts MATCH 'a'`));
    expect(reads).toContain('texts');
  });
});
