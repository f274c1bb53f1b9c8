import { LIBRARY_CODES } from '../../src/domain/error-codes';
import { TidelockError } from '../../src/domain/tidelock-error';
import type { Database } from '../database';

/**
 * The fence inside the database. Each writer raises the epoch in its first transaction and checks it in every later
 * one, so a writer that lost its place (and somehow still has the file) can write nothing more.
 */
const TABLE = `CREATE TABLE IF NOT EXISTS local_sync_writer (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  epoch INTEGER NOT NULL CHECK (epoch >= 1),
  raised_at TEXT NOT NULL
) STRICT`;
const RAISE = `INSERT INTO local_sync_writer (id, epoch, raised_at) VALUES (1, 1, ?1)
  ON CONFLICT (id) DO UPDATE SET epoch = epoch + 1, raised_at = excluded.raised_at`;
const READ = 'SELECT epoch FROM local_sync_writer';

/** Makes the table where it is missing and takes the next epoch, in one transaction. */
export function raiseWriterEpoch(database: Database, now: string): number {
  return database.transaction(() => {
    database.prepare(TABLE).run();
    database.prepare(RAISE).run([now]);
    return mustReadEpoch(database);
  });
}

/** @throws TidelockError OUTCOME_UNKNOWN when another writer has taken over; nothing may be written then */
export function assertWriterEpoch(database: Database, epoch: number): void {
  const actual = mustReadEpoch(database);
  if (actual === epoch) return;
  throw new TidelockError(
    LIBRARY_CODES.OUTCOME_UNKNOWN,
    'Another writer has taken this database over; ask it again.',
    {
      details: { expected: epoch, actual },
    },
  );
}

function mustReadEpoch(database: Database): number {
  const epoch = database.prepare(READ).get()?.['epoch'];
  if (typeof epoch === 'number') return epoch;
  throw new TidelockError(LIBRARY_CODES.STORAGE_CORRUPT, 'The writer epoch is missing or no number.', {
    details: { expected: 'an integer', actual: String(epoch) },
  });
}
