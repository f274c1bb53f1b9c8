import sqlite3InitModule, { type Sqlite3Static } from '@sqlite.org/sqlite-wasm';
import { LIBRARY_CODES } from '../../src/domain/error-codes';
import { TidelockError } from '../../src/domain/tidelock-error';
import { rememberFileError } from './file-error';

/**
 * Loads the WASM once a worker. The configuration is read at bootstrap only, so it is set first:
 * - the VFSes that would start proxy workers of their own on a cross-origin-isolated page are left out;
 * - its console output is dropped, because failing statements would print SQL text into users' consoles; from its
 *   errors, those of the files are remembered.
 */
let loading: Promise<Sqlite3Static> | undefined;

export function loadSqlite(): Promise<Sqlite3Static> {
  loading ??= load().catch((error: unknown) => {
    // A failed download may succeed next time.
    loading = undefined;
    throw loadFailed(error);
  });
  return loading;
}

async function load(): Promise<Sqlite3Static> {
  const silent = (): void => undefined;
  Object.assign(globalThis, {
    sqlite3ApiConfig: {
      disable: { vfs: { opfs: true, 'opfs-vfs': true, 'opfs-wl': true, kvvfs: true } },
      warn: silent,
      error: rememberFileError,
      log: silent,
      debug: silent,
    },
  });
  return sqlite3InitModule();
}

/** Nobody says where the bundler put the file, but the browser knows what was asked for. */
function loadFailed(cause: unknown): TidelockError {
  const asked = globalThis.performance?.getEntriesByType?.('resource') ?? [];
  const url =
    asked
      .map(({ name }) => name)
      .filter((name) => name.includes('.wasm'))
      .at(-1) ?? null;
  return new TidelockError(
    LIBRARY_CODES.WORKER_LOAD_FAILED,
    `SQLite's WASM could not be loaded${url === null ? '' : ` from ${url}`}. Is it deployed beside the worker?`,
    { details: { url }, cause },
  );
}
