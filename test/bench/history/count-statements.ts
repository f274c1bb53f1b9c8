import type { Database, Statement } from '../../../worker/database';

export interface CountingDatabase {
  readonly database: Database;
  /** How many statements ran while `work` did, and what it returned. */
  count(work: () => unknown): number;
}

/** A database that counts the statements run through it; BEGIN and COMMIT are the engine's own and not among them. */
export function countStatements(inner: Database): CountingDatabase {
  let ran = 0;
  const database: Database = {
    provider: inner.provider,
    prepare: (sql) => {
      const statement = inner.prepare(sql);
      const counting: Statement = {
        get: (params) => ((ran += 1), statement.get(params)),
        all: (params) => ((ran += 1), statement.all(params)),
        run: (params) => ((ran += 1), statement.run(params)),
      };
      return counting;
    },
    transaction: (work) => inner.transaction(work),
    get isInTransaction() {
      return inner.isInTransaction;
    },
  };
  return {
    database,
    count: (work) => {
      ran = 0;
      work();
      return ran;
    },
  };
}
