import type { Row, SqlParams, SqlValue } from '../database';
import type { SqliteDatabase } from './sqlite-database';

/** Values for named parameters; the key is the name with or without its `:`, `@` or `$`. */
export type NamedSqlParams = Readonly<Record<string, SqlValue>>;
export type AppParams = SqlParams | NamedSqlParams;

/** What a query may do with the database. Valid until the handler returns. */
export interface AppReader {
  all(sql: string, params?: AppParams): Row[];
  /** The first row, or undefined. */
  get(sql: string, params?: AppParams): Row | undefined;
}

/** What a mutation may do with the database. Valid until the handler returns. */
export interface AppDatabase extends AppReader {
  run(sql: string, params?: AppParams): { readonly changes: number };
  /** A nested unit: a throw undoes what `work` wrote and comes out unchanged. `work` must be synchronous. */
  transaction<T>(work: () => T): T;
}

/** What a handler did, for live queries. Lower-case names of tables and views, taken from the authorizer. */
export interface TablesTouched {
  readonly reads: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
}

/** Lends the database to application handlers, one call at a time. One a connection; it keeps their statements. */
export class AppDatabases {
  constructor(_database: SqliteDatabase) {}

  /** Runs a query handler: it may only read. The `db` it gets is dead afterwards. */
  read<T>(_work: (db: AppReader) => T): { readonly value: T } & TablesTouched {
    throw new Error('not built yet');
  }

  /**
   * Runs a mutation or apply handler, inside a transaction the caller has open.
   * @throws TransactionEndedError where the handler's SQL ended that transaction, even if the handler caught the error.
   */
  write<T>(_work: (db: AppDatabase) => T): { readonly value: T } & TablesTouched {
    throw new Error('not built yet');
  }
}
