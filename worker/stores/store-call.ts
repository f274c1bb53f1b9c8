import { findInstantMs } from '../../src/domain/instant';
import type { Database, SqlParams, SqlValue } from '../database';
import { moveToQuarantine, type UnreadableRow } from './quarantine';

/** What one call of a store works with: everything it reads and writes happens in one transaction, at one instant. */
export interface StoreCall {
  readonly database: Database;
  /** The call's instant, ISO 8601 UTC with milliseconds; read from the clock once. */
  readonly now: string;
  readonly nowMs: number;
  readonly newId: () => string;
  /** Moves a row that cannot be decoded out of the way. */
  quarantine(row: UnreadableRow): void;
}

export interface StoreCallsOptions {
  readonly database: Database;
  readonly clock: () => string;
  readonly newId: () => string;
}

/** Runs the methods of a store: each whole or not at all. */
export class StoreCalls {
  readonly #options: StoreCallsOptions;

  constructor(options: StoreCallsOptions) {
    this.#options = options;
  }

  get isNested(): boolean {
    return this.#options.database.isInTransaction;
  }

  readNowMs(): number {
    return mustReadMs(this.#options.clock());
  }

  /** In a transaction of its own, or a savepoint where one is open. */
  run<T>(work: (call: StoreCall) => T): T {
    const { database, newId } = this.#options;
    const now = this.#options.clock();
    const met: UnreadableRow[] = [];
    const quarantine = (row: UnreadableRow): void => {
      met.push(row);
      moveToQuarantine(database, row, now);
    };
    const call: StoreCall = { database, now, nowMs: mustReadMs(now), newId, quarantine };
    try {
      return database.transaction(() => work(call));
    } catch (error) {
      // The refusal undid the move as well; without it the next call would meet the same row again.
      if (met.length > 0) this.#quarantineAnew(met, now);
      throw error;
    }
  }

  #quarantineAnew(rows: readonly UnreadableRow[], now: string): void {
    const { database } = this.#options;
    try {
      database.transaction(() => rows.forEach((row) => moveToQuarantine(database, row, now)));
    } catch {
      // Tidying up must not hide why the call failed; the rows stay where they are.
    }
  }
}

/** Every read whose answer decides a write goes through here; an engine with row locks would take them here. */
export function readForUpdate(
  database: Database,
  sql: string,
  params: SqlParams = [],
): Readonly<Record<string, SqlValue>> | undefined {
  return database.prepare(sql).get(params);
}

/** As `readForUpdate`, for every row found. */
export function readAllForUpdate(
  database: Database,
  sql: string,
  params: SqlParams = [],
): readonly Readonly<Record<string, SqlValue>>[] {
  return database.prepare(sql).all(params);
}

function mustReadMs(now: string): number {
  const ms = findInstantMs(now);
  if (ms === undefined) throw new TypeError(`the clock gave "${now}", not an ISO 8601 instant`);
  return ms;
}
