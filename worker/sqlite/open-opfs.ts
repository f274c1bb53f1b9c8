import { LIBRARY_CODES } from '../../src/domain/error-codes';
import { TidelockError } from '../../src/domain/tidelock-error';
import { ensureDatabaseId, isEmptyDatabase } from './database-identity';
import { loadSqlite } from './load-sqlite';
import { toOpenError } from './open-errors';
import type { OpenedDatabase } from './opened-database';
import { DATABASE_PATH } from './opfs-names';
import { acquirePool, removePool, type OpfsPool } from './opfs-pool';
import { PATIENT_ANSWER_MS, readSentinel, removeSentinel, writeSentinel } from './sentinel';
import { SqliteDatabase } from './sqlite-database';
import { applyFilePragmas } from './storage-pragmas';
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm';

/** Where an opening stands, for START_TIMEOUT. */
export type OpenStage = 'loading-wasm' | 'acquiring-files' | 'opening';

export interface OpenOpfsOptions {
  /** The application's database name; each has a directory and files of its own. */
  readonly name: string;
  readonly onStage?: (stage: OpenStage) => void;
  /**
   * The id of a database that was here and is gone, from the STORAGE_LOST that told of it: start empty in its place. Only
   * on the user's word. Null, or the id of any other database, allows nothing.
   */
  readonly acceptLossOf?: string | null;
}

/** What the sentinel says: an id, null for none, or the reason why nobody can tell. */
type SentinelNote = { readonly id: string | null } | { readonly unreadable: unknown };

/**
 * Opens the database of this name in OPFS. Call it only while holding the writer lock of that name: the pool takes
 * every file of its directory. The caller closes what it gets, and lets go of the lock after that.
 *
 * @throws STORAGE_BUSY, STORAGE_IO (`details.retryInFreshWorker`: let a new worker try instead of this one),
 * STORAGE_BLOCKED, STORAGE_LOST, STORAGE_CORRUPT, STORAGE_FULL, UNSUPPORTED_ENVIRONMENT. Nothing is held afterwards.
 */
export async function openOpfs(options: OpenOpfsOptions): Promise<OpenedDatabase> {
  const { name, onStage } = options;
  // Asked early, because it takes as long as loading does.
  const asking = readNote(name);
  onStage?.('loading-wasm');
  const sqlite3 = await loadSqlite();
  onStage?.('acquiring-files');
  const pool = await acquirePool(sqlite3, name);
  try {
    const hasFile = pool.files.getFileNames().includes(DATABASE_PATH);
    const first = await asking;
    onStage?.('opening');
    // Without a database nothing goes on without the answer, so it is worth another, longer wait.
    const note = hasFile || 'id' in first ? first : await readNote(name, PATIENT_ANSWER_MS);
    assertNotLost(options, note, hasFile);
    return await openInPool(sqlite3, pool, options, note);
  } catch (error) {
    pool.release();
    throw toOpenError(error);
  }
}

/** Deletes the database of this name for good. Under the writer lock, with the database closed. May be called again. */
export async function destroyOpfs({ name }: { readonly name: string }): Promise<void> {
  await removePool(name);
  // Last: a destroy that was cut short shows as a loss, never as a database that comes back empty.
  await removeSentinel(name);
}

async function openInPool(
  sqlite3: Sqlite3Static,
  pool: OpfsPool,
  options: OpenOpfsOptions,
  note: SentinelNote,
): Promise<OpenedDatabase> {
  const database = new SqliteDatabase(sqlite3, new pool.files.OpfsSAHPoolDb(DATABASE_PATH));
  try {
    applyFilePragmas(database);
    assertNotLost(options, note, !isEmptyDatabase(database));
    const databaseId = ensureDatabaseId(database, Date.now());
    if (!('id' in note) || note.id !== databaseId) {
      // Without it the database works as well; the next opening writes it.
      await writeSentinel(options.name, databaseId).catch(() => undefined);
    }
    return { database, storage: 'opfs', databaseId, close: () => close(database, pool) };
  } catch (error) {
    database.close();
    throw error;
  }
}

function close(database: SqliteDatabase, pool: OpfsPool): void {
  try {
    // Leaves the next opening nothing to recover.
    if (database.isOpen) database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // What could not be moved stays in the WAL, which the next opening reads.
  }
  database.close();
  pool.release();
}

function readNote(name: string, answerMs?: number): Promise<SentinelNote> {
  return readSentinel(name, answerMs).then(
    (id) => ({ id }),
    (unreadable: unknown) => ({ unreadable }),
  );
}

function assertNotLost({ name, acceptLossOf }: OpenOpfsOptions, note: SentinelNote, hasData: boolean): void {
  if (hasData) return;
  if ('unreadable' in note) {
    throw new TidelockError(
      LIBRARY_CODES.STORAGE_BLOCKED,
      'There is no database here, and whether there was one cannot be read.',
      { details: { name }, cause: note.unreadable },
    );
  }
  if (note.id === null || note.id === acceptLossOf) return;
  throw new TidelockError(
    LIBRARY_CODES.STORAGE_LOST,
    'A database was here, and its files are gone: cleared or evicted. To start anew on purpose, connect with acceptLossOf: its databaseId.',
    {
      details: { name, databaseId: note.id },
    },
  );
}
