import type { SqlParams } from '../database';
import type { AppDatabase, AppReader } from './app-database';
import { toPositional, type AppParams } from './app-params';
import { AppStatements } from './app-statements';
import { ForbiddenSqlError } from './forbidden-sql-error';
import { TouchedTables } from './handler-guard';
import { refusePromise } from './refuse-promise';
import type { SqliteDatabase } from './sqlite-database';
import type { SqliteStatement } from './sqlite-statement';
import { TransactionEndedError } from './transaction-ended-error';

/** What a handler returned, which tables its SQL reads, and which it changed: for live queries. */
export interface Lent<T> {
  readonly value: T;
  readonly reads: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
}

/**
 * Lends the database to application handlers, one call at a time, under the guard. One a connection; it keeps the
 * application's statements. What it lends is dead once the handler has returned.
 */
export class AppDatabases {
  readonly #database: SqliteDatabase;
  readonly #statements: AppStatements;

  constructor(database: SqliteDatabase) {
    this.#database = database;
    this.#statements = new AppStatements(database);
  }

  /**
   * Runs a query handler; it may only read.
   * @throws SYNC_COORDINATOR_ASYNC_TRANSACTION where it returns a promise; else whatever it throws.
   */
  read<T>(work: (db: AppReader) => T): Lent<T> {
    const loan = new Loan(this.#database, this.#statements, 'read');
    return loan.use(() => work({ all: loan.all, get: loan.get }));
  }

  /**
   * Runs a handler that writes, inside a transaction the caller has open.
   * @throws SYNC_COORDINATOR_ASYNC_TRANSACTION where it returns a promise; TransactionEndedError where its SQL ended
   * the transaction and it went on as if nothing were; else whatever it throws.
   */
  write<T>(work: (db: AppDatabase) => T): Lent<T> {
    if (!this.#database.isInTransaction) throw new Error('a handler that writes needs an open transaction');
    const loan = new Loan(this.#database, this.#statements, 'write');
    return loan.use(() =>
      work({ all: loan.all, get: loan.get, run: loan.run, transaction: loan.transaction }),
    );
  }
}

/** One handler's use of the database. Its methods are bound, so that a handler may take them apart. */
class Loan {
  readonly #database: SqliteDatabase;
  readonly #statements: AppStatements;
  readonly #kind: 'read' | 'write';
  readonly #touched = new TouchedTables();
  #isOver = false;

  constructor(database: SqliteDatabase, statements: AppStatements, kind: 'read' | 'write') {
    this.#database = database;
    this.#statements = statements;
    this.#kind = kind;
  }

  use<T>(work: () => T): Lent<T> {
    try {
      const value = refusePromise(work());
      this.#assertInTransaction();
      return { value, reads: this.#touched.reads, writes: this.#touched.writes };
    } finally {
      this.#isOver = true;
    }
  }

  readonly all: AppReader['all'] = (sql, params) =>
    this.#step(sql, params, (stmt, values) => stmt.all(values));
  readonly get: AppReader['get'] = (sql, params) =>
    this.#step(sql, params, (stmt, values) => stmt.get(values));
  readonly run: AppDatabase['run'] = (sql, params) =>
    this.#step(sql, params, (stmt, values) => stmt.run(values));
  readonly transaction: AppDatabase['transaction'] = (work) => {
    this.#assertUsable();
    return this.#database.transaction(work);
  };

  #step<T>(
    sql: string,
    params: AppParams = [],
    work: (statement: SqliteStatement, values: SqlParams) => T,
  ): T {
    this.#assertUsable();
    const { statement, touched } = this.#statements.mustGet(sql);
    if (this.#kind === 'read' && !statement.isReadOnly) {
      throw new ForbiddenSqlError('the SQL was refused: a query may only read');
    }
    const values = toPositional(params, statement.parameterNames);
    const before = this.#database.countChanges();
    try {
      return this.#database.guard.run('app', touched, () => work(statement, values));
    } finally {
      for (const table of touched.reads) this.#touched.reads.add(table);
      // A statement that found no row to write has changed nothing that a query could see; one that failed may have.
      if (this.#database.countChanges() !== before)
        for (const table of touched.writes) this.#touched.writes.add(table);
    }
  }

  #assertUsable(): void {
    if (this.#isOver)
      throw new Error('this db was lent to a handler that has returned; use it only until then');
    this.#assertInTransaction();
  }

  #assertInTransaction(): void {
    if (this.#kind === 'write' && !this.#database.isInTransaction) throw new TransactionEndedError();
  }
}
