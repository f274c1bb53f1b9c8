import type { Database as Oo1Database, Sqlite3Static } from '@sqlite.org/sqlite-wasm';
import { STORE_CODES } from '../../src/domain/error-codes';
import { isThenable } from '../../src/domain/is-thenable';
import { TidelockError } from '../../src/domain/tidelock-error';
import type { Database, Statement } from '../database';
import { SqliteStatement } from './sqlite-statement';
import { toStorageError } from './storage-errors';

/**
 * A statement inside a transaction ended that transaction (INSERT OR ROLLBACK, RAISE(ROLLBACK), a full disk), so
 * everything in it is gone. Whoever shares a transaction must run its members again, each alone.
 */
export class TransactionEndedError extends Error {
  override readonly name = 'TransactionEndedError';
  constructor() {
    super('a statement ended the transaction it ran in; all its writes are undone');
  }
}

/** One open connection. Owned by whoever opened it, who calls `close` once; statements die with it. */
export class SqliteDatabase implements Database {
  readonly provider = 'sqlite';
  readonly #sqlite3: Sqlite3Static;
  readonly #db: Oo1Database;
  readonly #statements = new Map<string, SqliteStatement>();
  #savepoints = 0;

  constructor(sqlite3: Sqlite3Static, db: Oo1Database) {
    this.#sqlite3 = sqlite3;
    this.#db = db;
  }

  prepare(sql: string): Statement {
    return this.#statements.get(sql) ?? this.#prepareNew(sql);
  }

  /** Prepares without keeping: for statements that differ with who runs them. The caller finalizes. */
  prepareUncached(sql: string): SqliteStatement {
    try {
      const stmt = this.#db.prepare(sql);
      const isReadOnly = this.#sqlite3.capi.sqlite3_stmt_readonly(stmt) !== 0;
      return new SqliteStatement(stmt, isReadOnly ? () => 0 : () => this.#db.changes());
    } catch (error) {
      throw toStorageError(error);
    }
  }

  /** Runs a script of several statements, for migrations and pragmas. */
  exec(sql: string): void {
    try {
      this.#db.exec(sql);
    } catch (error) {
      throw toStorageError(error);
    }
  }

  get isInTransaction(): boolean {
    return this.#sqlite3.capi.sqlite3_get_autocommit(this.#db) === 0;
  }

  transaction<T>(work: () => T): T {
    return this.isInTransaction ? this.#nest(work) : this.#begin(work);
  }

  /** Whether a deferred foreign key is violated by now, anywhere in the open transaction. */
  hasDeferredViolation(): boolean {
    const { capi, wasm } = this.#sqlite3;
    const at = wasm.pstack.pointer;
    try {
      const current = wasm.pstack.alloc(8);
      const rc = capi.sqlite3_db_status(
        this.#db,
        capi.SQLITE_DBSTATUS_DEFERRED_FKS,
        current,
        Number(current) + 4,
        0,
      );
      if (rc !== 0) throw new Error(`sqlite3_db_status failed with ${rc}`);
      return wasm.peek32(current) !== 0;
    } finally {
      wasm.pstack.restore(at);
    }
  }

  /** Idempotent. */
  close(): void {
    this.#statements.clear();
    if (this.#db.isOpen()) this.#db.close();
  }

  /** For the guard that installs an authorizer; nothing else touches the raw handle. */
  get handle(): Oo1Database {
    return this.#db;
  }

  #prepareNew(sql: string): SqliteStatement {
    const statement = this.prepareUncached(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #begin<T>(work: () => T): T {
    this.prepare('BEGIN IMMEDIATE').run();
    try {
      const result = refusePromise(work());
      if (!this.isInTransaction) throw new TransactionEndedError();
      this.prepare('COMMIT').run();
      return result;
    } catch (error) {
      // SQLite may have rolled back by itself; a ROLLBACK then would mask the error that matters.
      if (this.isInTransaction) this.prepare('ROLLBACK').run();
      throw error;
    }
  }

  #nest<T>(work: () => T): T {
    const name = `tidelock_${++this.#savepoints}`;
    this.prepare(`SAVEPOINT ${name}`).run();
    try {
      const result = refusePromise(work());
      if (!this.isInTransaction) throw new TransactionEndedError();
      this.prepare(`RELEASE ${name}`).run();
      return result;
    } catch (error) {
      if (this.isInTransaction) {
        this.prepare(`ROLLBACK TO ${name}`).run();
        this.prepare(`RELEASE ${name}`).run();
      }
      throw error;
    } finally {
      this.#savepoints -= 1;
    }
  }
}

function refusePromise<T>(result: T): T {
  if (!isThenable(result)) return result;
  // Its rejection, if any, belongs to nobody now.
  result.then(undefined, () => undefined);
  throw new TidelockError(
    STORE_CODES.ASYNC_TRANSACTION,
    'A transaction callback returned a promise; it must be synchronous.',
    {
      details: { expected: 'a value', actual: 'a promise' },
    },
  );
}
