import type { OpenedDatabase } from './opened-database';

/** Where an opening stands, for START_TIMEOUT. */
export type OpenStage = 'loading-wasm' | 'acquiring-files' | 'opening-database' | 'writing-sentinel';

export interface OpenOpfsOptions {
  /** The application's database name; each has a directory and files of its own. */
  readonly name: string;
  readonly onStage?: (stage: OpenStage) => void;
  /** Start empty although a database was here and is gone. Only on the user's word; otherwise STORAGE_LOST. */
  readonly isFreshAllowed?: boolean;
}

/**
 * Opens the database of this name in OPFS. Call it only while holding the writer lock of that name: the pool takes
 * every file of its directory.
 *
 * @throws STORAGE_BUSY, STORAGE_IO (`details.retryInFreshWorker`: this worker should be replaced by a new one),
 * STORAGE_BLOCKED, STORAGE_LOST, STORAGE_CORRUPT, STORAGE_FULL, UNSUPPORTED_ENVIRONMENT.
 */
export function openOpfs(_options: OpenOpfsOptions): Promise<OpenedDatabase> {
  return Promise.reject(new Error('not built yet'));
}

/** Deletes the database of this name for good, the sentinel last. Under the writer lock, with nothing open. */
export function destroyOpfs(_options: { readonly name: string }): Promise<void> {
  return Promise.reject(new Error('not built yet'));
}
