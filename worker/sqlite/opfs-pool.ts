import type { SAHPoolUtil, Sqlite3Static } from '@sqlite.org/sqlite-wasm';
import { LIBRARY_CODES } from '../../src/domain/error-codes';
import { TidelockError } from '../../src/domain/tidelock-error';
import { isTransient, toOpenError } from './open-errors';
import { ROOT_NAME, toDirectoryName, toVfsName } from './opfs-names';

/**
 * The files of one database: a fixed set of OPFS files in a directory of its own, all held open by one worker, which
 * SQLite's `opfs-sahpool` hands out under the names SQLite asks for.
 *
 * Rule that prevents a data loss: `preserveOnInitFailure`, always. Without it, a single file that cannot be opened at
 * the first try makes the pool delete its directory, database and all.
 *
 * The pool of a name stays known to its worker after `release`, because sqlite-wasm remembers it too.
 */
const pools = new Map<string, SAHPoolUtil>();
/** Names whose files this worker has in use; the fence against a second opening beside the first. */
const inUse = new Set<string>();

/**
 * Database, WAL, rollback journal (used while a new file is switched to WAL) and one to spare. Each costs an opening at
 * takeover; too few, and SQLite reports that it cannot open a file.
 */
const CAPACITY = 4;

/** Waits between attempts: about 1.6 s in all. Files of a killed worker were free at the first attempt in Chromium
 * and Firefox; Safari is reported to need up to a second. */
const BACKOFF_MS = [25, 50, 100, 200, 400, 800];

interface InstallOptions {
  readonly name: string;
  readonly directory: string;
  readonly initialCapacity: number;
  readonly preserveOnInitFailure: true;
  /** Missing from the package's types: without it, a second attempt repeats the first one's failure from memory. */
  readonly forceReinitIfPreviouslyFailed: boolean;
}

export interface OpfsPool {
  readonly files: SAHPoolUtil;
  /** Lets go of the files; the database must be closed. Idempotent. */
  release(): void;
}

/** @throws STORAGE_BUSY, STORAGE_IO, STORAGE_BLOCKED, STORAGE_FULL, UNSUPPORTED_ENVIRONMENT */
export async function acquirePool(sqlite3: Sqlite3Static, name: string): Promise<OpfsPool> {
  assertSupported(sqlite3);
  if (inUse.has(name)) {
    throw new TidelockError(LIBRARY_CODES.STORAGE_BUSY, 'This worker has the database open already.', {
      details: { name },
    });
  }
  inUse.add(name);
  try {
    const files = await acquireWithRetries(sqlite3, name);
    return { files, release: () => release(name, files) };
  } catch (error) {
    inUse.delete(name);
    throw toOpenError(error);
  }
}

/** Deletes the directory of a pool. Nothing may have it open, in this worker or another. */
export async function removePool(name: string): Promise<void> {
  if (inUse.has(name))
    throw new TidelockError(LIBRARY_CODES.STORAGE_BUSY, 'The database is open.', { details: { name } });
  try {
    await pools.get(name)?.removeVfs();
    pools.delete(name);
    const root = await navigator.storage.getDirectory();
    const parent = await root.getDirectoryHandle(ROOT_NAME, { create: true });
    await parent.removeEntry(toDirectoryName(name), { recursive: true });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotFoundError') return;
    throw toOpenError(error);
  }
}

function release(name: string, files: SAHPoolUtil): void {
  if (!inUse.has(name)) return;
  files.pauseVfs();
  inUse.delete(name);
}

async function acquireWithRetries(sqlite3: Sqlite3Static, name: string): Promise<SAHPoolUtil> {
  for (const waitMs of BACKOFF_MS) {
    try {
      return await acquire(sqlite3, name);
    } catch (error) {
      if (!isTransient(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
  return acquire(sqlite3, name);
}

async function acquire(sqlite3: Sqlite3Static, name: string): Promise<SAHPoolUtil> {
  const options: InstallOptions = {
    name: toVfsName(name),
    directory: `${ROOT_NAME}/${toDirectoryName(name)}`,
    initialCapacity: CAPACITY,
    preserveOnInitFailure: true,
    forceReinitIfPreviouslyFailed: true,
  };
  const files = await sqlite3.installOpfsSAHPoolVfs(options);
  pools.set(name, files);
  if (files.isPaused()) await files.unpauseVfs();
  try {
    // `initialCapacity` counts for an empty pool only.
    await files.reserveMinimumCapacity(CAPACITY);
  } catch (error) {
    files.pauseVfs();
    throw error;
  }
  return files;
}

function assertSupported(sqlite3: Sqlite3Static): void {
  const missing = findMissing(sqlite3);
  if (missing === undefined) return;
  throw new TidelockError(LIBRARY_CODES.UNSUPPORTED_ENVIRONMENT, `This browser has no ${missing} here.`, {
    details: { missing },
  });
}

function findMissing(sqlite3: Sqlite3Static): string | undefined {
  if (!globalThis.isSecureContext) return 'secure context';
  if (typeof globalThis.navigator?.storage?.getDirectory !== 'function') return 'OPFS';
  if (typeof globalThis.FileSystemFileHandle?.prototype.createSyncAccessHandle !== 'function') {
    return 'synchronous file access';
  }
  // Node's build of sqlite-wasm leaves it out.
  return typeof sqlite3.installOpfsSAHPoolVfs === 'function' ? undefined : 'OPFS';
}
