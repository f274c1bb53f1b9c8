/**
 * The only thing the stores know of a database. `worker/sqlite` implements it; another engine could.
 * Everything is synchronous; rows are unknown until a decoder has run.
 */

export type SqlValue = string | number | bigint | null | Uint8Array;
/** Positional values for `?`. */
export type SqlParams = readonly SqlValue[];
export type Row = Readonly<Record<string, SqlValue>>;

export interface Statement {
  /** The first row, or undefined. */
  get(params?: SqlParams): Row | undefined;
  all(params?: SqlParams): Row[];
  /** Runs to the end; `changes` counts the rows this statement itself inserted, updated or deleted. */
  run(params?: SqlParams): { readonly changes: number };
}

export interface Database {
  readonly provider: 'sqlite';
  /** Prepared once and kept: the same text gives the same statement. */
  prepare(sql: string): Statement;
  /**
   * Runs `work` in an IMMEDIATE transaction, or in a savepoint when one is open already. A throw rolls back and
   * comes out unchanged; a returned promise is refused with SYNC_COORDINATOR_ASYNC_TRANSACTION and rolls back too.
   */
  transaction<T>(work: () => T): T;
  /** Whether a transaction is open. */
  readonly isInTransaction: boolean;
}
