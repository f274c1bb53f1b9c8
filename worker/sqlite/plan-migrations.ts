import { LIBRARY_CODES } from '../../src/domain/error-codes';
import { TidelockError } from '../../src/domain/tidelock-error';

export interface Migration {
  /** 1, 2, 3 … without gaps; never reused, never reordered once released. */
  readonly id: number;
  readonly name: string;
  readonly sql: string;
  /**
   * How many of these migrations a build must know to use the database once this one was applied, 0 to `id`. Default
   * `id`: no older build may. Say less only where the older builds' statements stay right beside this change, as with
   * a new table or a column with a default.
   */
  readonly safeFrom?: number;
}

/** `tidelock`: tables of the library. `app`: the application's own, run under the guard. */
export type MigrationScope = 'tidelock' | 'app';

/** One that a database remembers. */
export interface AppliedMigration {
  readonly id: number;
  readonly name: string;
  readonly safeFrom: number;
}

/**
 * Which of `known` are still missing after `applied` (in the order of ids).
 *
 * @throws INVALID_INPUT (`details.path`) for a list with gaps, duplicates or a changed past.
 * @throws SCHEMA_TOO_NEW (`details`: scope, storedId, storedName, safeFrom, knownId) where the database has ones this
 *   build does not know, unless they were declared safe for it.
 */
export function planMigrations(
  scope: MigrationScope,
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  known.forEach((migration, index) => assertNumbered(scope, migration, index));
  const last = applied.at(-1);
  const safeFrom = findSafeFrom(applied);
  if (last !== undefined && safeFrom > known.length) {
    throw new TidelockError(
      LIBRARY_CODES.SCHEMA_TOO_NEW,
      `The database is at ${scope} migration ${last.id} ("${last.name}"), which a build must know ${safeFrom} of; this one knows ${known.length}.`,
      { details: { scope, storedId: last.id, storedName: last.name, safeFrom, knownId: known.length } },
    );
  }
  known.slice(0, applied.length).forEach((migration, index) => {
    assertUnchanged(scope, migration, applied[index], index);
  });
  return known.slice(applied.length);
}

/** How many migrations a build must know to use a database where these were applied. */
export function findSafeFrom(applied: readonly AppliedMigration[]): number {
  return Math.max(0, ...applied.map(({ safeFrom }) => safeFrom));
}

function assertNumbered(scope: MigrationScope, migration: Migration, index: number): void {
  const wanted = index + 1;
  if (migration.id !== wanted) {
    throw invalid(scope, `[${index}].id`, `must be ${wanted} in its place, found ${migration.id}`);
  }
  if (migration.name === '') throw invalid(scope, `[${index}].name`, 'must not be empty');
  const { safeFrom = wanted } = migration;
  if (!Number.isInteger(safeFrom) || safeFrom < 0 || safeFrom > wanted) {
    throw invalid(scope, `[${index}].safeFrom`, `must be a whole number from 0 to ${wanted}`);
  }
}

function assertUnchanged(
  scope: MigrationScope,
  migration: Migration,
  applied: AppliedMigration | undefined,
  index: number,
): void {
  if (applied?.id === migration.id && applied.name === migration.name) return;
  const was = applied === undefined ? 'nothing' : `${applied.id} "${applied.name}"`;
  throw invalid(scope, `[${index}].name`, `was applied as ${was}, found "${migration.name}"`);
}

function invalid(scope: MigrationScope, at: string, problem: string): TidelockError {
  const path = `${scope === 'app' ? 'migrations' : 'tidelock.migrations'}${at}`;
  return new TidelockError(
    LIBRARY_CODES.INVALID_INPUT,
    `A released migration is fixed: ${path} ${problem}.`,
    {
      details: { path, problem },
    },
  );
}
