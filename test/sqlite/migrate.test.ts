import { describe, expect, test } from 'vitest';
import { checkMigrations, migrate, readSafeFrom } from '../../worker/sqlite/migrate';
import type { Migration } from '../../worker/sqlite/plan-migrations';
import { readSchema, setup as setupDatabase } from './setup';

const NOW = 1_790_000_000_000;
const notes: Migration = { id: 1, name: 'notes', sql: 'CREATE TABLE notes (id INTEGER PRIMARY KEY)' };
const tags: Migration = { id: 2, name: 'tags', sql: 'CREATE TABLE tags (id INTEGER PRIMARY KEY)' };
const library: Migration = {
  id: 1,
  name: 'start',
  sql: 'CREATE TABLE local_sync_more (id INTEGER PRIMARY KEY)',
};

async function setup() {
  const { database } = await setupDatabase();
  return {
    database,
    migrateApp: (...migrations: Migration[]) =>
      migrate(database, [{ scope: 'app', migrations }], { now: NOW }),
    checkApp: (...migrations: Migration[]) => checkMigrations(database, [{ scope: 'app', migrations }]),
    readApplied: () =>
      database
        .prepare('SELECT scope, id, name, applied_at FROM local_sync_migrations ORDER BY scope, id')
        .all(),
  };
}

describe('migrations', () => {
  test('are applied once, in order, and noted', async () => {
    const { database, readApplied } = await setup();
    const sets = [
      { scope: 'tidelock', migrations: [library] },
      { scope: 'app', migrations: [notes, tags] },
    ] as const;
    expect(checkMigrations(database, sets)).toEqual({ tidelock: 1, app: 2 });
    expect(migrate(database, sets, { now: NOW })).toEqual({ tidelock: 1, app: 2 });
    expect(migrate(database, sets, { now: NOW + 1 })).toEqual({ tidelock: 0, app: 0 });
    expect(readApplied()).toEqual([
      { scope: 'app', id: 1, name: 'notes', applied_at: NOW },
      { scope: 'app', id: 2, name: 'tags', applied_at: NOW },
      { scope: 'tidelock', id: 1, name: 'start', applied_at: NOW },
    ]);
  });

  test('one that fails takes the whole run with it, and the previous build still opens', async () => {
    const { database, migrateApp, readApplied } = await setup();
    migrateApp(notes);
    const before = readSchema(database);
    const broken = {
      id: 3,
      name: 'broken',
      sql: 'CREATE TABLE half (id INTEGER); INSERT INTO nowhere VALUES (1)',
    };
    const run = (): unknown =>
      migrate(
        database,
        [
          { scope: 'tidelock', migrations: [library] },
          { scope: 'app', migrations: [notes, tags, broken] },
        ],
        { now: NOW },
      );
    expect(run).toThrow(
      expect.objectContaining({
        code: 'MIGRATION_FAILED',
        details: { migration: 'app/3-broken' },
        cause: expect.objectContaining({ message: expect.stringContaining('no such table: nowhere') }),
      }),
    );
    expect(readSchema(database)).toEqual(before);
    expect(readApplied()).toHaveLength(1);
    expect(migrateApp(notes)).toEqual({ tidelock: 0, app: 0 });
  });

  test('one that leaves a deferred foreign key violated fails by name', async () => {
    const { migrateApp } = await setup();
    const orphan = {
      id: 2,
      name: 'orphan',
      sql: `CREATE TABLE children (note_id INTEGER REFERENCES notes DEFERRABLE INITIALLY DEFERRED);
            INSERT INTO children VALUES (1);`,
    };
    expect(() => migrateApp(notes, orphan)).toThrow(
      expect.objectContaining({ code: 'MIGRATION_FAILED', details: { migration: 'app/2-orphan' } }),
    );
  });

  test('one that ends the transaction fails, and nothing after it is written', async () => {
    const { database, migrateApp } = await setup();
    const before = readSchema(database);
    const ending = {
      id: 2,
      name: 'ending',
      sql: `INSERT INTO notes VALUES (1); INSERT OR ROLLBACK INTO notes VALUES (1); CREATE TABLE more (id INTEGER);`,
    };
    expect(() => migrateApp(notes, ending)).toThrow(expect.objectContaining({ code: 'MIGRATION_FAILED' }));
    expect(readSchema(database)).toEqual(before);
  });

  test('of a newer build are found, and nothing is written', async () => {
    const { database, migrateApp, checkApp } = await setup();
    migrateApp(notes, tags);
    const tooNew = expect.objectContaining({
      code: 'SCHEMA_TOO_NEW',
      details: { scope: 'app', storedId: 2, storedName: 'tags', safeFrom: 2, knownId: 1 },
    });
    expect(() => checkApp(notes)).toThrow(tooNew);
    expect(() => migrateApp(notes)).toThrow(tooNew);
    expect(() => migrateApp()).toThrow(expect.objectContaining({ code: 'SCHEMA_TOO_NEW' }));
    expect(() =>
      migrate(
        database,
        [
          { scope: 'tidelock', migrations: [library] },
          { scope: 'app', migrations: [notes] },
        ],
        { now: NOW },
      ),
    ).toThrow(tooNew);
    expect(readSchema(database)).not.toContain('local_sync_more');
  });

  test('of a newer build that are safe for this one are left alone, the oldest safe build is known', async () => {
    const { database, migrateApp } = await setup();
    const known = (count: number) => [notes, { ...tags, safeFrom: 1 }].slice(0, count);
    expect(readSafeFrom(database)).toEqual({ tidelock: 0, app: 0 });
    migrateApp(...known(1));
    expect(readSafeFrom(database)).toEqual({ tidelock: 0, app: 1 });
    migrateApp(...known(2));
    expect(readSafeFrom(database)).toEqual({ tidelock: 0, app: 1 });
    expect(migrateApp(...known(1))).toEqual({ tidelock: 0, app: 0 });
    expect(() => migrateApp()).toThrow(expect.objectContaining({ code: 'SCHEMA_TOO_NEW' }));
    // A later one that is not safe closes the door again, and one after that does not open it.
    const third = { id: 3, name: 'third', sql: 'SELECT 1' };
    const fourth = { id: 4, name: 'fourth', sql: 'SELECT 1', safeFrom: 0 };
    migrateApp(...known(2), third, fourth);
    expect(readSafeFrom(database)).toEqual({ tidelock: 0, app: 3 });
    expect(() => migrateApp(...known(2))).toThrow(
      expect.objectContaining({
        code: 'SCHEMA_TOO_NEW',
        details: { scope: 'app', storedId: 4, storedName: 'fourth', safeFrom: 3, knownId: 2 },
      }),
    );
    expect(migrateApp(...known(2), third)).toEqual({ tidelock: 0, app: 0 });
  });

  test.each<[string, Migration[], string]>([
    ['a gap', [notes, { ...tags, id: 3 }], 'migrations[1].id'],
    ['a duplicate id', [notes, { ...tags, id: 1 }], 'migrations[1].id'],
    ['a list out of order', [tags, notes], 'migrations[0].id'],
    ['a list that starts late', [tags], 'migrations[0].id'],
    ['an empty name', [{ ...notes, name: '' }], 'migrations[0].name'],
    ['a safeFrom past itself', [notes, { ...tags, safeFrom: 3 }], 'migrations[1].safeFrom'],
    ['a safeFrom that is no count', [notes, { ...tags, safeFrom: -1 }], 'migrations[1].safeFrom'],
    ['half a safeFrom', [notes, { ...tags, safeFrom: 1.5 }], 'migrations[1].safeFrom'],
    ['a renamed past', [{ ...notes, name: 'papers' }, tags], 'migrations[0].name'],
  ])('%s is refused', async (_name, migrations, path) => {
    const { migrateApp, readApplied } = await setup();
    migrateApp(notes);
    expect(() => migrateApp(...migrations)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', details: expect.objectContaining({ path }) }),
    );
    expect(readApplied()).toHaveLength(1);
  });

  test('a database that never had any is read without writing', async () => {
    const { database, checkApp } = await setup();
    expect(checkApp(notes)).toEqual({ tidelock: 0, app: 1 });
    expect(readSchema(database)).not.toContain('local_sync_migrations');
  });
});

describe('an application’s migration', () => {
  test.each([
    ['touch a table of the library', `DELETE FROM local_sync_things`, /belongs to the library/],
    ['drop one', 'DROP TABLE local_sync_things', /belongs to the library/],
    ['alter one', 'ALTER TABLE local_sync_things ADD COLUMN mine TEXT', /belongs to the library/],
    ['make one', 'CREATE TABLE local_sync_mine (id INTEGER)', /belongs to the library/],
    ['make a temporary one', 'CREATE TEMP TABLE local_sync_mine (id INTEGER)', /belongs to the library/],
    ['make a view of such a name', 'CREATE VIEW Local_Sync_mine AS SELECT 1', /belongs to the library/],
    ['rename one of its own to one', 'ALTER TABLE logs RENAME TO local_sync_logs', /schema of the library/],
    ['index one', 'CREATE INDEX mine ON local_sync_things (text)', /belongs to the library/],
    [
      'put a trigger on one',
      'CREATE TRIGGER mine AFTER INSERT ON local_sync_things BEGIN SELECT 1; END',
      /belongs to the library/,
    ],
    [
      'refer to one',
      'CREATE TABLE mine (thing_id INTEGER REFERENCES local_sync_things ON DELETE RESTRICT)',
      /"mine" refers to "local_sync_things"/,
    ],
    ['end the transaction', 'COMMIT', /transaction control/],
    ['begin one', 'BEGIN', /transaction control/],
    ['use a savepoint', 'SAVEPOINT mine', /transaction control/],
    ['attach a database', `ATTACH ':memory:' AS other`, /ATTACH/],
    ['set a pragma', 'PRAGMA foreign_keys=OFF', /PRAGMA foreign_keys/],
    [
      'write SQLite’s schema by hand',
      `UPDATE sqlite_schema SET sql = ''`,
      /may not be modified|sqlite_master/,
    ],
  ])('may not %s', async (_name, sql, message) => {
    const { database, migrateApp } = await setup();
    const before = readSchema(database);
    expect(() => migrateApp({ id: 1, name: 'sly', sql })).toThrow(
      expect.objectContaining({
        code: 'MIGRATION_FAILED',
        cause: expect.objectContaining({ message: expect.stringMatching(message) }),
      }),
    );
    expect(readSchema(database)).toEqual(before);
  });

  test('may do all that a migration needs', async () => {
    const { migrateApp, database } = await setup();
    const sql = `
      CREATE TABLE people (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT) STRICT;
      INSERT INTO people (name) VALUES ('Ada'), ('Grace');
      ALTER TABLE people ADD COLUMN age INTEGER NOT NULL DEFAULT 0 CHECK (age >= 0);
      ALTER TABLE people RENAME COLUMN name TO full_name;
      ALTER TABLE people RENAME TO persons;
      ALTER TABLE persons ADD COLUMN gone TEXT;
      ALTER TABLE persons DROP COLUMN gone;
      CREATE UNIQUE INDEX persons_name ON persons (full_name);
      CREATE VIEW grown AS SELECT * FROM persons WHERE age > 17;
      CREATE TRIGGER log_persons AFTER INSERT ON persons BEGIN INSERT INTO logs (text) VALUES (new.full_name); END;
      CREATE VIRTUAL TABLE names USING fts5(full_name, content='persons', content_rowid='id');
      INSERT INTO names (names) VALUES ('rebuild');
      CREATE VIRTUAL TABLE places USING rtree(id, x0, x1);
      CREATE TABLE old (id INTEGER); INSERT INTO old VALUES (1); DROP TABLE old;
      CREATE TABLE copied AS SELECT * FROM persons;
      CREATE TEMP TABLE scratch (id INTEGER);
      ANALYZE; REINDEX persons_name; DROP VIEW grown; DROP INDEX persons_name;`;
    expect(migrateApp({ id: 1, name: 'everything', sql })).toEqual({ tidelock: 0, app: 1 });
    expect(database.prepare(`SELECT full_name FROM names WHERE names MATCH 'ada'`).all()).toEqual([
      { full_name: 'Ada' },
    ]);
    expect(
      migrateApp(
        { id: 1, name: 'everything', sql },
        { id: 2, name: 'drop', sql: 'DROP TABLE names; DROP TABLE persons' },
      ),
    ).toEqual({ tidelock: 0, app: 1 });
  });
});
