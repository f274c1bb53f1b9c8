import type { Database as Oo1Database, Sqlite3Static } from '@sqlite.org/sqlite-wasm';
import { ForbiddenSqlError } from './forbidden-sql-error';
import { findObjection, findTable, type AppMode } from './handler-rules';

/** Tables and views some SQL reads and writes, by lower-case name. */
export class TouchedTables {
  readonly reads = new Set<string>();
  readonly writes = new Set<string>();
}

const OK = 0;
const DENY = 1;

/**
 * Holds the application's SQL to its own tables. SQLite asks the guard while it prepares a statement, and again when
 * a schema change makes it prepare one anew in the middle of a step; so whoever prepares or steps a statement of the
 * application does that inside `run`, and everything else happens in trusted mode, where every answer is yes.
 *
 * Installed once a connection: installing makes SQLite prepare every statement again.
 */
export class HandlerGuard {
  #mode: AppMode | 'trusted' = 'trusted';
  #objection: string | undefined;
  #touched: TouchedTables | undefined;

  constructor(sqlite3: Sqlite3Static, db: Oo1Database) {
    const { capi } = sqlite3;
    const ask = (_: unknown, action: number, first: string | 0, second: string | 0): number =>
      this.#mode === 'trusted' ? OK : this.#answer(this.#mode, action, first || '', second || '');
    const rc = capi.sqlite3_set_authorizer(db, ask, 0);
    if (rc !== OK) throw new Error(`sqlite3_set_authorizer failed with ${rc}`);
  }

  /**
   * Runs `work`, which prepares or steps SQL of the application, and notes in `touched` what that SQL is about.
   * @throws ForbiddenSqlError where the SQL asks for more than the mode allows.
   */
  run<T>(mode: AppMode, touched: TouchedTables | undefined, work: () => T): T {
    const before = { mode: this.#mode, touched: this.#touched };
    this.#mode = mode;
    this.#touched = touched;
    this.#objection = undefined;
    try {
      return work();
    } catch (error) {
      if (this.#objection === undefined) throw error;
      throw new ForbiddenSqlError(`the SQL was refused: ${this.#objection}`, { cause: error });
    } finally {
      this.#mode = before.mode;
      this.#touched = before.touched;
    }
  }

  #answer(mode: AppMode, action: number, first: string, second: string): number {
    const question = { action, first, second };
    const objection = findObjection(mode, question);
    if (objection !== undefined) {
      this.#objection ??= objection;
      return DENY;
    }
    const found = findTable(question);
    if (found !== undefined) (found.isWrite ? this.#touched?.writes : this.#touched?.reads)?.add(found.table);
    return OK;
  }
}
