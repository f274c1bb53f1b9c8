import { describe, expect, test } from 'vitest';
import { setup } from './setup';

const refusal = (why: RegExp): unknown =>
  expect.objectContaining({ name: 'ForbiddenSqlError', message: expect.stringMatching(why) });

describe('a mutation', () => {
  test.each([
    ['COMMIT', /transaction control/],
    ['ROLLBACK', /transaction control/],
    ['BEGIN', /transaction control/],
    ['SAVEPOINT mine', /transaction control/],
    ['RELEASE tidelock_1', /transaction control/],
    [`ATTACH ':memory:' AS other`, /ATTACH/],
    ['DETACH main', /DETACH/],
    ['PRAGMA synchronous=OFF', /PRAGMA synchronous/],
    ['PRAGMA writable_schema=ON', /PRAGMA writable_schema/],
    ['PRAGMA foreign_keys=OFF', /PRAGMA foreign_keys/],
    ['PRAGMA locking_mode', /PRAGMA locking_mode/],
    ['PRAGMA page_size=512', /PRAGMA page_size/],
    [`SELECT * FROM pragma_optimize`, /PRAGMA optimize/],
    [`INSERT INTO local_sync_things VALUES (2, '')`, /local_sync_things.*library/],
    [`INSERT INTO LOCAL_SYNC_THINGS VALUES (2, '')`, /library/],
    [`REPLACE INTO main."local_sync_things" VALUES (1, '')`, /library/],
    [`UPDATE local_sync_things SET text = ''`, /library/],
    ['DELETE FROM local_sync_things', /library/],
    ['DELETE FROM local_workspace_sync_things', /library/],
    ['WITH x AS (SELECT 1) DELETE FROM local_sync_things RETURNING id', /library/],
    [`UPDATE sqlite_dbpage SET data = zeroblob(8192) WHERE pgno = 1`, /sqlite_dbpage/],
    ['CREATE TABLE more (id INTEGER)', /only a migration/],
    ['CREATE TEMP TABLE more (id INTEGER)', /only a migration/],
    ['CREATE TEMP TRIGGER t AFTER INSERT ON tasks BEGIN SELECT 1; END', /only a migration/],
    ['CREATE VIEW v AS SELECT 1', /only a migration/],
    ['CREATE VIRTUAL TABLE f USING fts5(a)', /only a migration/],
    ['DROP TABLE tasks', /only a migration/],
    ['DROP TABLE local_sync_things', /only a migration|library/],
    ['ALTER TABLE tasks RENAME TO chores', /only a migration/],
    ['CREATE INDEX i ON tasks (done)', /only a migration/],
    ['REINDEX', /only a migration/],
    ['ANALYZE', /only a migration/],
  ])('may not %s', async (sql, why) => {
    const { write, database } = await setup();
    expect(() => write(sql)).toThrow(refusal(why));
    expect(database.prepare('SELECT count(*) AS n FROM local_sync_things').get()).toEqual({ n: 1 });
    expect(database.isInTransaction).toBe(false);
  });

  test.each(['VACUUM', `UPDATE sqlite_schema SET sql = ''`])(
    'gets SQLite’s own refusal of %s',
    async (sql) => {
      const { write } = await setup();
      expect(() => write(sql)).toThrow(/cannot VACUUM|may not be modified/);
    },
  );

  test('may not reach the library’s tables through a trigger', async () => {
    const { write, database } = await setup();
    database.exec(`CREATE TRIGGER sly AFTER INSERT ON tasks BEGIN DELETE FROM local_sync_things; END;`);
    expect(() => write(`INSERT INTO tasks (title) VALUES ('a')`)).toThrow(refusal(/local_sync_things/));
  });

  test.each([
    `INSERT INTO tasks (title) VALUES ('b')`,
    `INSERT INTO tasks (title) VALUES ('a') ON CONFLICT (title) DO UPDATE SET done = 1`,
    `REPLACE INTO tasks (title) VALUES ('a')`,
    `UPDATE sqlite_sequence SET seq = 10`,
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) INSERT INTO logs SELECT i, i FROM n`,
    `INSERT INTO logs (text) SELECT text FROM local_sync_things`,
    `DELETE FROM tasks`,
    'PRAGMA data_version',
    'PRAGMA table_info(tasks)',
    'EXPLAIN QUERY PLAN SELECT * FROM tasks',
  ])('may %s', async (sql) => {
    const { write } = await setup();
    write(`INSERT INTO tasks (title) VALUES ('a')`);
    expect(() => write(sql)).not.toThrow();
  });
});

describe('a query', () => {
  test('may read everything', async () => {
    const { read, write } = await setup();
    write(`INSERT INTO tasks (title) VALUES ('a')`);
    expect(read('SELECT t.title, l.text FROM tasks t, local_sync_things l')).toEqual([
      { title: 'a', text: 'of the library' },
    ]);
    expect(read(`SELECT name FROM pragma_table_info('logs')`)).toEqual([{ name: 'id' }, { name: 'text' }]);
  });

  test.each([
    `INSERT INTO tasks (title) VALUES ('a')`,
    `INSERT INTO tasks (title) VALUES ('a') RETURNING id`,
    'UPDATE tasks SET done = 1',
    'DELETE FROM tasks',
    'CREATE TABLE more (id INTEGER)',
    'BEGIN',
    'VACUUM',
    'DELETE FROM local_sync_things',
  ])('may not %s', async (sql) => {
    const { read, database } = await setup();
    expect(() => read(sql)).toThrow(refusal(/refused/));
    expect(database.isInTransaction).toBe(false);
  });
});

describe('full-text search', () => {
  test('works for mutations and queries, with the pragma it needs', async () => {
    const { database, write, read } = await setup();
    database.exec('CREATE VIRTUAL TABLE texts USING fts5(body)');
    for (const body of ['high tide', 'low tide', 'storm']) write(`INSERT INTO texts VALUES ('${body}')`);
    expect(read(`SELECT body FROM texts WHERE texts MATCH 'tide' ORDER BY rank, body`)).toHaveLength(2);
    write(`UPDATE texts SET body = 'calm tide' WHERE body = 'storm'`);
    write(`INSERT INTO texts (texts) VALUES ('rebuild')`);
    write(`INSERT INTO texts (texts) VALUES ('optimize')`);
    expect(read(`SELECT count(*) AS n FROM texts WHERE texts MATCH 'tide'`)).toEqual([{ n: 3 }]);
  });

  test('its shadow tables cannot be written by hand', async () => {
    const { database, write } = await setup();
    database.exec('CREATE VIRTUAL TABLE texts USING fts5(body)');
    expect(() => write('DELETE FROM texts_data')).toThrow(/may not be modified/);
    expect(() => database.exec('DELETE FROM texts_data')).toThrow(/may not be modified/);
  });

  test('a query may be the first to touch an R-Tree, which prepares its writes then', async () => {
    const { database, read } = await setup();
    database.exec(`CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1)`);
    database.exec(`INSERT INTO boxes VALUES (1, 0, 10)`);
    expect(read('SELECT id FROM boxes WHERE x0 < 5')).toEqual([{ id: 1 }]);
  });
});

describe('the library’s own statements', () => {
  test('are let through when a migration makes SQLite prepare them again', async () => {
    const { database, apps } = await setup();
    const insert = database.prepare(`INSERT INTO local_sync_things (text) VALUES (?)`);
    insert.run(['before']);
    database.exec('CREATE TABLE more (id INTEGER)');
    expect(insert.run(['after']).changes).toBe(1);
    database.transaction(() => {
      apps.write((db) => db.run(`INSERT INTO tasks (title) VALUES ('a')`));
      insert.run(['beside a handler']);
    });
    expect(database.prepare('SELECT count(*) AS n FROM local_sync_things').get()).toEqual({ n: 4 });
  });

  test('an application’s statement that is prepared again is still guarded', async () => {
    const { database, write } = await setup();
    const sql = `INSERT INTO tasks (title) VALUES (hex(randomblob(4)))`;
    write(sql);
    database.exec(`CREATE TRIGGER sly AFTER INSERT ON tasks BEGIN DELETE FROM local_sync_things; END;`);
    expect(() => write(sql)).toThrow(refusal(/local_sync_things/));
  });
});
