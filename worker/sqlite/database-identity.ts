import { LIBRARY_CODES } from '../../src/domain/error-codes';
import { TidelockError } from '../../src/domain/tidelock-error';
import type { SqliteDatabase } from './sqlite-database';

const CREATE_TABLE = `
  CREATE TABLE IF NOT EXISTS local_sync_database (
    singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
    database_id TEXT NOT NULL CHECK (database_id <> ''),
    created_at INTEGER NOT NULL
  ) STRICT`;
const HAS_TABLE = `SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = 'local_sync_database'`;
const IS_EMPTY = 'SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema) AS is_empty';
const SELECT_ID = 'SELECT database_id FROM local_sync_database WHERE singleton = 1';
const INSERT_ID = 'INSERT INTO local_sync_database (singleton, database_id, created_at) VALUES (1, ?, ?)';

/** Whether nothing was ever committed here: a database is born with its identity in the first transaction. */
export function isEmptyDatabase(database: SqliteDatabase): boolean {
  return database.prepare(IS_EMPTY).get()?.['is_empty'] === 1;
}

/** The id the database was born with, made now where it has none. `now` is epoch milliseconds. */
export function ensureDatabaseId(database: SqliteDatabase, now: number): string {
  return findId(database) ?? createId(database, now);
}

function findId(database: SqliteDatabase): string | undefined {
  if (database.prepare(HAS_TABLE).get() === undefined) return undefined;
  const row = database.prepare(SELECT_ID).get();
  if (row === undefined) return undefined;
  if (typeof row['database_id'] === 'string') return row['database_id'];
  throw new TidelockError(LIBRARY_CODES.STORAGE_CORRUPT, 'The id of the database cannot be read.');
}

function createId(database: SqliteDatabase, now: number): string {
  const id = crypto.randomUUID();
  database.transaction(() => {
    database.exec(CREATE_TABLE);
    database.prepare(INSERT_ID).run([id, now]);
  });
  return id;
}
