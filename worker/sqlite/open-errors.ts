import { LIBRARY_CODES } from '../../src/domain/error-codes';
import { TidelockError, isTidelockError } from '../../src/domain/tidelock-error';
import { readResultCode, toStorageError } from './storage-errors';

/** The files are held by another worker, which may be about to die. Seen in every browser. */
const HELD = 'NoModificationAllowedError';
/** Safari throws it from createSyncAccessHandle now and then with nobody else there. */
const SPURIOUS = 'InvalidStateError';
/** The browser refuses storage altogether: private windows, blocked cookies, an opaque origin. */
const REFUSED = new Set(['SecurityError', 'NotAllowedError', 'UnknownError']);

/** Whether the same worker should try again in a moment. */
export function isTransient(error: unknown): boolean {
  const name = readName(error);
  return name === HELD || name === SPURIOUS;
}

/**
 * What stood in the way of the files, typed. `details.retryInFreshWorker`: a worker whose attempt failed may keep
 * the failure; a new one starts clean.
 */
export function toOpenError(error: unknown): TidelockError {
  if (isTidelockError(error)) return error;
  if (readResultCode(error) !== undefined) {
    const typed = toStorageError(error);
    if (isTidelockError(typed)) return typed;
  }
  const name = readName(error);
  if (name === 'QuotaExceededError') {
    return new TidelockError(
      LIBRARY_CODES.STORAGE_FULL,
      'There is no room left for the files of the database. Free some; what was committed is intact.',
      {
        details: { name },
        cause: error,
      },
    );
  }
  if (REFUSED.has(name)) {
    return new TidelockError(
      LIBRARY_CODES.STORAGE_BLOCKED,
      'The browser refuses storage to this page, as private windows do. Ask for storage: "memory", or tell the user.',
      {
        details: { name },
        cause: error,
      },
    );
  }
  const details = { name, retryInFreshWorker: true };
  return name === HELD
    ? new TidelockError(LIBRARY_CODES.STORAGE_BUSY, 'Another worker holds the files of the database.', {
        details,
        cause: error,
      })
    : new TidelockError(LIBRARY_CODES.STORAGE_IO, 'The files of the database could not be opened.', {
        details,
        cause: error,
      });
}

function readName(error: unknown): string {
  return error instanceof Error || error instanceof DOMException ? error.name : typeof error;
}
