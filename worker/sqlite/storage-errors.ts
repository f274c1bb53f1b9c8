import { LIBRARY_CODES } from '../../src/domain/error-codes';
import { TidelockError, isTidelockError, type ErrorDetails } from '../../src/domain/tidelock-error';
import { takeFileError } from './file-error';

/** Primary result codes (the low byte of an extended one) that mean the storage failed, not the statement. */
const PRIMARY = {
  BUSY: 5,
  LOCKED: 6,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  NOTADB: 26,
};

/** The extended SQLite result code of an error, or undefined where it did not come from SQLite. */
export function readResultCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('resultCode' in error)) return undefined;
  return typeof error.resultCode === 'number' ? error.resultCode : undefined;
}

/**
 * Turns what SQLite threw into a typed storage error where the storage is at fault; anything else (a constraint,
 * a syntax error, an application's own throw) comes back unchanged.
 */
export function toStorageError(error: unknown): unknown {
  if (isTidelockError(error)) return error;
  const resultCode = readResultCode(error);
  if (resultCode === undefined) return error;
  switch (resultCode & 0xff) {
    case PRIMARY.FULL:
      return toFullError(error, { resultCode });
    case PRIMARY.CORRUPT:
    case PRIMARY.NOTADB:
      return new TidelockError(LIBRARY_CODES.STORAGE_CORRUPT, 'The database file is damaged.', {
        details: { resultCode },
        cause: error,
      });
    case PRIMARY.BUSY:
    case PRIMARY.LOCKED:
      return new TidelockError(
        LIBRARY_CODES.STORAGE_BUSY,
        'The database file is in use by another connection.',
        { details: { resultCode }, cause: error },
      );
    case PRIMARY.IOERR:
    case PRIMARY.CANTOPEN:
    case PRIMARY.READONLY:
      return toFileError(error, resultCode);
    default:
      return error;
  }
}

function toFileError(error: unknown, resultCode: number): TidelockError {
  const fileError = takeFileError();
  const details = { resultCode, ...(fileError === undefined ? {} : { fileError: fileError.name }) };
  if (fileError?.name === 'QuotaExceededError') return toFullError(error, details);
  return new TidelockError(LIBRARY_CODES.STORAGE_IO, 'The database file could not be read or written.', {
    details,
    cause: error,
  });
}

function toFullError(cause: unknown, details: ErrorDetails): TidelockError {
  return new TidelockError(LIBRARY_CODES.STORAGE_FULL, 'The database cannot grow: storage is used up.', {
    details,
    cause,
  });
}

/** Less than this left of the quota, and an I/O error is taken for a full disk: a WAL of ours may not fit. */
const FULL_MARGIN_BYTES = 8 * 1024 * 1024;

/**
 * A second look at a STORAGE_IO whose file error said nothing: some browsers write less than asked instead of
 * throwing. Turns it into STORAGE_FULL where next to nothing of the quota is left. Chromium reports a quota far above
 * what the disk may hold, so there the file error is what tells.
 */
export async function classifyFull(error: unknown): Promise<unknown> {
  if (!isTidelockError(error) || error.code !== LIBRARY_CODES.STORAGE_IO) return error;
  const estimate = await globalThis.navigator?.storage?.estimate?.().catch(() => undefined);
  if (estimate?.quota === undefined || estimate.usage === undefined) return error;
  if (estimate.quota - estimate.usage > FULL_MARGIN_BYTES) return error;
  return toFullError(error, {
    ...error.details,
    estimate: { quotaBytes: estimate.quota, usageBytes: estimate.usage },
  });
}
