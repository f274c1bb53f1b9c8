import type { Database as Oo1Database, Sqlite3Static } from '@sqlite.org/sqlite-wasm';
import type { Database, Statement } from '../database';
import { HandlerGuard } from './handler-guard';
import { refusePromise } from './refuse-promise';
import { SqliteCalls } from './sqlite-calls';
import { SqliteStatement, type StatementHost } from './sqlite-statement';
import { toStorageError } from './storage-errors';
import { TransactionEndedError } from './transaction-ended-error';

/**
 * One open connection. Owned by whoever opened it, who calls `close` once; statements die with it.
 *
 * A transaction that SQLite itself ended stays ended: until the outermost `transaction` has returned, every further
 * write and every further `transaction` throws TransactionEndedError instead of committing on its own.
 */
export class SqliteDatabase implements Database {
  readonly provider = 'sqlite';
  /** Decides what SQL that is not the library's may do. */
  readonly guard: HandlerGuard;
  readonly #sqlite3: Sqlite3Static;
  readonly #db: Oo1Database;
  readonly #calls: SqliteCalls;
  readonly #host: StatementHost;
  readonly #statements = new Map<string, SqliteStatement>();
  /** How many `transaction` calls are running; 0 outside. */
  #depth = 0;

  constructor(sqlite3: Sqlite3Static, db: Oo1Database) {
    this.#sqlite3 = sqlite3;
    this.#db = db;
    this.#calls = new SqliteCalls(sqlite3);
    this.#host = {
      calls: this.#calls,
      db,
      throwCode: (code) => {
        if (code !== 0) sqlite3.oo1.DB.checkRc(db, code);
      },
      assertMayWrite: () => this.#assertMayWrite(),
    };
    this.guard = new HandlerGuard(sqlite3, db);
    // Shadow tables of full-text search and raw pages cannot be written by SQL, whoever asks.
    sqlite3.capi.sqlite3_db_config(db, sqlite3.capi.SQLITE_DBCONFIG_DEFENSIVE, 1, 0);
  }

  prepare(sql: string): Statement {
    return this.#statements.get(sql) ?? this.#prepareNew(sql);
  }

  /** Prepares without keeping: for statements that differ with who runs them. The caller finalizes. */
  prepareUncached(sql: string): SqliteStatement {
    try {
      const { capi } = this.#sqlite3;
      const stmt = this.#db.prepare(sql);
      const rest = findSecondStatement(sql, capi.sqlite3_sql(stmt) ?? '');
      if (rest !== undefined) {
        stmt.finalize();
        throw new TypeError(`one statement wanted, more found after it: "${rest}"`);
      }
      const isReadOnly = capi.sqlite3_stmt_readonly(stmt) !== 0;
      const parameterNames = Array.from({ length: stmt.parameterCount }, (_, i) =>
        capi.sqlite3_bind_parameter_name(stmt, i + 1),
      );
      return new SqliteStatement(this.#host, stmt, { isReadOnly, parameterNames });
    } catch (error) {
      throw toStorageError(error);
    }
  }

  /** Runs a script of several statements, for migrations and pragmas. */
  exec(sql: string): void {
    this.#assertMayWrite();
    try {
      this.#db.exec(sql);
    } catch (error) {
      throw toStorageError(error);
    }
  }

  get isInTransaction(): boolean {
    const { pointer } = this.#db;
    return pointer !== undefined && this.#calls.raw.sqlite3_get_autocommit(pointer) === 0;
  }

  /** How many rows were ever inserted, updated or deleted on this connection, by triggers and foreign keys too. */
  countChanges(): number {
    const { pointer } = this.#db;
    return pointer === undefined ? 0 : this.#calls.raw.sqlite3_total_changes(pointer);
  }

  transaction<T>(work: () => T): T {
    this.#assertMayWrite();
    return this.#depth > 0 ? this.#nest(work) : this.#begin(work);
  }

  /** Whether a deferred foreign key is violated by now, anywhere in the open transaction. */
  hasDeferredViolation(): boolean {
    const { pointer } = this.#db;
    const op = this.#sqlite3.capi.SQLITE_DBSTATUS_DEFERRED_FKS;
    return pointer !== undefined && this.#calls.readStatus(pointer, op) !== 0;
  }

  /** The whole database as the bytes of a file, the WAL's content included. */
  serialize(): Uint8Array {
    try {
      return this.#sqlite3.capi.sqlite3_js_db_export(this.#db);
    } catch (error) {
      throw toStorageError(error);
    }
  }

  get isOpen(): boolean {
    return this.#db.isOpen();
  }

  /** Idempotent. */
  close(): void {
    this.#statements.clear();
    if (this.#db.isOpen()) this.#db.close();
  }

  #prepareNew(sql: string): SqliteStatement {
    const statement = this.prepareUncached(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #assertMayWrite(): void {
    if (this.#depth > 0 && !this.isInTransaction) throw new TransactionEndedError();
  }

  #begin<T>(work: () => T): T {
    this.prepare('BEGIN IMMEDIATE').run();
    this.#depth = 1;
    try {
      const result = refusePromise(work());
      this.#assertMayWrite();
      this.prepare('COMMIT').run();
      return result;
    } catch (error) {
      // SQLite may have rolled back by itself; a ROLLBACK then would mask the error that matters.
      if (this.isInTransaction) this.prepare('ROLLBACK').run();
      throw error;
    } finally {
      this.#depth = 0;
    }
  }

  #nest<T>(work: () => T): T {
    const name = `tidelock_${this.#depth}`;
    this.prepare(`SAVEPOINT ${name}`).run();
    this.#depth += 1;
    try {
      const result = refusePromise(work());
      this.#assertMayWrite();
      this.prepare(`RELEASE ${name}`).run();
      return result;
    } catch (error) {
      if (this.isInTransaction) this.#undo(name);
      throw error;
    } finally {
      this.#depth -= 1;
    }
  }

  /** Undoes a savepoint. Where that fails, the whole transaction goes: half a savepoint must never be committed. */
  #undo(savepoint: string): void {
    try {
      this.prepare(`ROLLBACK TO ${savepoint}`).run();
      this.prepare(`RELEASE ${savepoint}`).run();
    } catch {
      if (this.isInTransaction) this.prepare('ROLLBACK').run();
    }
  }
}

/** SQLite prepares the first statement of a text and would leave the rest undone without a word. */
function findSecondStatement(sql: string, prepared: string): string | undefined {
  const rest = sql
    .slice(prepared.length)
    .replace(/--[^\n]*|\/\*[^]*?(?:\*\/|$)|[\s;]+/g, ' ')
    .trim();
  return rest === '' ? undefined : rest.slice(0, 40);
}
