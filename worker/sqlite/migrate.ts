import { LIBRARY_CODES } from '../../src/domain/error-codes';
import { TidelockError, isTidelockError } from '../../src/domain/tidelock-error';
import type { Row } from '../database';
import { assertLibrarySchemaUntouched } from './library-schema';
import {
  findSafeFrom,
  planMigrations,
  type AppliedMigration,
  type Migration,
  type MigrationScope,
} from './plan-migrations';
import type { SqliteDatabase } from './sqlite-database';

export interface MigrationSet {
  readonly scope: MigrationScope;
  readonly migrations: readonly Migration[];
}

/** A number of migrations for each scope. */
export type MigrationCounts = Readonly<Record<MigrationScope, number>>;

const CREATE_TABLE = `
  CREATE TABLE IF NOT EXISTS local_sync_migrations (
    scope TEXT NOT NULL CHECK (scope IN ('tidelock', 'app')),
    id INTEGER NOT NULL CHECK (id >= 1),
    name TEXT NOT NULL CHECK (name <> ''),
    applied_at INTEGER NOT NULL,
    safe_from INTEGER NOT NULL CHECK (safe_from BETWEEN 0 AND id),
    PRIMARY KEY (scope, id)
  ) STRICT, WITHOUT ROWID`;
const HAS_TABLE = `SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = 'local_sync_migrations'`;
const SELECT_APPLIED = 'SELECT id, name, safe_from FROM local_sync_migrations WHERE scope = ? ORDER BY id';
const INSERT_APPLIED =
  'INSERT INTO local_sync_migrations (scope, id, name, applied_at, safe_from) VALUES (?, ?, ?, ?, ?)';

/**
 * Reads only: throws what `migrate` would refuse, so that a caller can ask before it writes anything at all.
 *
 * @throws INVALID_INPUT (`details.path`) for a list with gaps, duplicates or a changed past.
 * @throws SCHEMA_TOO_NEW for a database of a newer build that this one may not touch.
 */
export function checkMigrations(database: SqliteDatabase, sets: readonly MigrationSet[]): MigrationCounts {
  const counts = { tidelock: 0, app: 0 };
  for (const { scope, migrations } of sets) {
    counts[scope] += planMigrations(scope, migrations, readApplied(database, scope)).length;
  }
  return counts;
}

/**
 * Applies what is missing of all sets, in their order, in one transaction: when one fails, nothing of this run
 * happened, so that the previous build still opens the database. `now` is epoch milliseconds.
 *
 * @throws what `checkMigrations` throws, with nothing written.
 * @throws MIGRATION_FAILED (`details.migration`: `<scope>/<id>-<name>`); the error is the cause. A storage error (a
 * full disk) comes out as itself: the migration is not at fault.
 */
export function migrate(
  database: SqliteDatabase,
  sets: readonly MigrationSet[],
  { now }: { readonly now: number },
): MigrationCounts {
  const missing = checkMigrations(database, sets);
  if (missing.tidelock + missing.app === 0) return missing;
  database.transaction(() => {
    database.exec(CREATE_TABLE);
    for (const { scope, migrations } of sets) {
      for (const migration of planMigrations(scope, migrations, readApplied(database, scope))) {
        apply(database, scope, migration);
        const { id, name, safeFrom = id } = migration;
        database.prepare(INSERT_APPLIED).run([scope, id, name, now, safeFrom]);
      }
    }
  });
  return missing;
}

/** How many migrations of each scope a build must know to use the database as it is now. */
export function readSafeFrom(database: SqliteDatabase): MigrationCounts {
  const read = (scope: MigrationScope): number => findSafeFrom(readApplied(database, scope));
  return { tidelock: read('tidelock'), app: read('app') };
}

function apply(database: SqliteDatabase, scope: MigrationScope, migration: Migration): void {
  try {
    if (scope === 'tidelock') database.exec(migration.sql);
    else applyUnderGuard(database, migration);
    if (database.hasDeferredViolation()) throw new Error('FOREIGN KEY constraint failed');
  } catch (error) {
    if (isTidelockError(error)) throw error;
    const name = `${scope}/${migration.id}-${migration.name}`;
    throw new TidelockError(
      LIBRARY_CODES.MIGRATION_FAILED,
      `Migration ${name} failed; nothing of this run was kept.`,
      {
        details: { migration: name },
        cause: error,
      },
    );
  }
}

function applyUnderGuard(database: SqliteDatabase, migration: Migration): void {
  assertLibrarySchemaUntouched(database, () => {
    database.guard.run('app-migration', undefined, () => database.exec(migration.sql));
  });
}

function readApplied(database: SqliteDatabase, scope: MigrationScope): readonly AppliedMigration[] {
  if (database.prepare(HAS_TABLE).get() === undefined) return [];
  return database.prepare(SELECT_APPLIED).all([scope]).map(decodeApplied);
}

function decodeApplied(row: Row): AppliedMigration {
  const { id, name, safe_from: safeFrom } = row;
  if (typeof id === 'number' && typeof name === 'string' && typeof safeFrom === 'number')
    return { id, name, safeFrom };
  throw new TidelockError(LIBRARY_CODES.STORAGE_CORRUPT, 'A row of local_sync_migrations cannot be read.');
}
