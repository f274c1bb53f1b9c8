import { onTestFinished } from 'vitest';
import { AppDatabases } from '../../worker/sqlite/app-databases';
import { openMemory } from '../../worker/sqlite/open-memory';
import type { SqliteDatabase } from '../../worker/sqlite/sqlite-database';

/** A fresh database in memory with one table of the library and two of an application. */
export async function setup() {
  const { database, close, databaseId } = await openMemory();
  onTestFinished(close);
  database.exec(`
    CREATE TABLE local_sync_things (id INTEGER PRIMARY KEY, text TEXT);
    CREATE TABLE local_workspace_sync_things (id INTEGER PRIMARY KEY, text TEXT);
    INSERT INTO local_sync_things VALUES (1, 'of the library');
    CREATE TABLE tasks (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL UNIQUE, done INTEGER DEFAULT 0);
    CREATE TABLE logs (id INTEGER PRIMARY KEY, text TEXT);`);
  const apps = new AppDatabases(database);
  return {
    database,
    databaseId,
    apps,
    /** Runs SQL as a mutation handler would, in a transaction of its own. */
    write: (sql: string) => database.transaction(() => apps.write((db) => db.run(sql)).value),
    /** Runs SQL as a query handler would. */
    read: (sql: string) => apps.read((db) => db.all(sql)).value,
  };
}

/** The name of every object in the schema. */
export function readSchema(database: SqliteDatabase): unknown[] {
  return database
    .prepare('SELECT name FROM sqlite_schema ORDER BY name')
    .all()
    .map(({ name }) => name);
}
