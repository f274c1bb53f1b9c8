import type { SqliteDatabase } from './sqlite-database';

/** Where the rows live: `opfs` survives the worker, `memory` ends with it. */
export type StorageKind = 'opfs' | 'memory';

/** An open database, owned by whoever opened it. */
export interface OpenedDatabase {
  readonly database: SqliteDatabase;
  readonly storage: StorageKind;
  /** Made with the database and kept in it; a copy has the same one, a database started anew has another. */
  readonly databaseId: string;
  /**
   * Closes the database and lets go of its files, so that another worker can open them at once. Idempotent.
   * Call it with no transaction open. It never throws for a failed checkpoint: the WAL keeps what it could not move.
   */
  readonly close: () => void;
}
