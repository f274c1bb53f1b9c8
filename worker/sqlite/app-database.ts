import type { Row } from '../database';
import type { AppParams } from './app-params';

/** What a query may do with the database. Valid until the handler returns. */
export interface AppReader {
  /** @throws ForbiddenSqlError for SQL that is not the application's to run. */
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
