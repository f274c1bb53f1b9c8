import { LIBRARY_CODES } from '../../src/domain/error-codes';
import { TidelockError } from '../../src/domain/tidelock-error';
import type { SqlValue } from '../database';
import type { SqliteDatabase } from './sqlite-database';

/**
 * Pages (of 8 KiB) in the WAL after which a commit moves them into the database: 4 MiB. Moving takes two flushes more,
 * which a busy writer's commits (some 45 pages) pay for every eleventh time; at 128 pages it was every third. A new
 * writer reads the whole WAL before its first answer: 4 to 8 ms at this size.
 */
export const WAL_AUTOCHECKPOINT_PAGES = 512;

/** After a checkpoint the WAL file is cut to this: twice what a normal one needs, so that one huge commit leaves no huge file. */
export const JOURNAL_SIZE_LIMIT_BYTES = 8 * 1024 * 1024;

interface Setting {
  readonly pragma: string;
  readonly value: string | number;
  /** What reading it back must give. */
  readonly wanted: SqlValue;
}

/**
 * In this order. `locking_mode` comes before anything that reads the file: without shared memory, SQLite keeps a WAL
 * only for an exclusive connection, and refuses to open one otherwise.
 */
const FILE_SETTINGS: readonly Setting[] = [
  { pragma: 'locking_mode', value: 'EXCLUSIVE', wanted: 'exclusive' },
  { pragma: 'journal_mode', value: 'WAL', wanted: 'wal' },
  // Each commit is flushed before it is answered.
  { pragma: 'synchronous', value: 'FULL', wanted: 2 },
  { pragma: 'wal_autocheckpoint', value: WAL_AUTOCHECKPOINT_PAGES, wanted: WAL_AUTOCHECKPOINT_PAGES },
  { pragma: 'journal_size_limit', value: JOURNAL_SIZE_LIMIT_BYTES, wanted: JOURNAL_SIZE_LIMIT_BYTES },
];
const CONNECTION_SETTINGS: readonly Setting[] = [
  { pragma: 'foreign_keys', value: 'ON', wanted: 1 },
  // A damaged or hostile schema may not call functions with side effects.
  { pragma: 'trusted_schema', value: 'OFF', wanted: 0 },
];

/** For a connection that has not read anything yet. @throws STORAGE_IO where one of them is not in force afterwards. */
export function applyFilePragmas(database: SqliteDatabase): void {
  for (const setting of FILE_SETTINGS) applySetting(database, setting);
  applyConnectionPragmas(database);
}

/** What any connection gets, one in memory too. */
export function applyConnectionPragmas(database: SqliteDatabase): void {
  for (const setting of CONNECTION_SETTINGS) applySetting(database, setting);
}

function applySetting(database: SqliteDatabase, { pragma, value, wanted }: Setting): void {
  database.exec(`PRAGMA ${pragma}=${value}`);
  const row = database.prepare(`PRAGMA ${pragma}`).get() ?? {};
  const actual = Object.values(row)[0];
  if (actual === wanted) return;
  throw new TidelockError(LIBRARY_CODES.STORAGE_IO, `SQLite did not take PRAGMA ${pragma}=${value}.`, {
    details: { pragma, wanted, actual: String(actual) },
  });
}
