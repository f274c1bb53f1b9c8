import { TouchedTables } from './handler-guard';
import type { SqliteDatabase } from './sqlite-database';
import type { SqliteStatement } from './sqlite-statement';

/** More different SQL texts than this, and the oldest is prepared anew next time. An application has dozens. */
const KEPT_STATEMENTS = 256;

export interface AppStatement {
  readonly statement: SqliteStatement;
  /** Grows when a schema change makes SQLite prepare the statement again. */
  readonly touched: TouchedTables;
}

/** The application's prepared statements on one connection, all prepared under the guard. */
export class AppStatements {
  readonly #database: SqliteDatabase;
  readonly #kept = new Map<string, AppStatement>();

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  mustGet(sql: string): AppStatement {
    return this.#kept.get(sql) ?? this.#prepare(sql);
  }

  #prepare(sql: string): AppStatement {
    const touched = new TouchedTables();
    const statement = this.#database.guard.run('app', touched, () => this.#database.prepareUncached(sql));
    this.#makeRoom();
    const entry = { statement, touched };
    this.#kept.set(sql, entry);
    return entry;
  }

  #makeRoom(): void {
    if (this.#kept.size < KEPT_STATEMENTS) return;
    for (const [sql, { statement }] of this.#kept) {
      statement.finalize();
      this.#kept.delete(sql);
      return;
    }
  }
}
