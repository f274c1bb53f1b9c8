import type { SqliteDatabase } from './sqlite-database';

export interface Migration {
  /** 1, 2, 3 … without gaps; never reused, never reordered once released. */
  readonly id: number;
  readonly name: string;
  readonly sql: string;
}

/** `tidelock`: tables of the library. `app`: the application's own, run under the guard. */
export type MigrationScope = 'tidelock' | 'app';

export interface MigrationSet {
  readonly scope: MigrationScope;
  readonly migrations: readonly Migration[];
}

/** How many of each set are still to be applied. */
export type PendingMigrations = Readonly<Record<MigrationScope, number>>;

/**
 * Reads only: refuses what `migrate` would refuse, so a caller can ask before it writes anything at all.
 *
 * @throws INVALID_INPUT (`details.path`) for a list with gaps, duplicates or a changed past.
 * @throws SCHEMA_TOO_NEW (`details.scope`, `details.storedId`, `details.knownId`) for a database of a newer build.
 */
export function checkMigrations(
  _database: SqliteDatabase,
  _sets: readonly MigrationSet[],
): PendingMigrations {
  throw new Error('not built yet');
}

/**
 * Applies what is missing of all sets, in their order, in ONE transaction: when one fails, none of this run happened,
 * so the previous build still opens the database. `now` is epoch milliseconds.
 *
 * @throws what `checkMigrations` throws, and MIGRATION_FAILED (`details.migration`: `scope/id-name`; the error is the cause).
 */
export function migrate(
  _database: SqliteDatabase,
  _sets: readonly MigrationSet[],
  _options: { readonly now: number },
): PendingMigrations {
  throw new Error('not built yet');
}
