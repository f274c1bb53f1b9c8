import type { Permit } from '../../src/domain/permit';
import type { OwnedFence } from '../../src/domain/permit';
import { loadSqlite } from '../../worker/sqlite/load-sqlite';
import { SqliteDatabase } from '../../worker/sqlite/sqlite-database';
import { toFence } from '../stores/support/store-setup';

/** A fence with the owner it was issued to. */
export function toOwned(permit: Permit): OwnedFence {
  return { ...toFence(permit), ownerMode: permit.ownerMode };
}

export interface CountedDatabase {
  readonly database: SqliteDatabase;
  /** How many instructions of SQLite's virtual machine `work` takes. */
  count(work: () => unknown): number;
  close(): void;
}

/** A database in memory that counts what SQLite does: the cost of a statement, without a clock. */
export async function openCounted(): Promise<CountedDatabase> {
  const sqlite3 = await loadSqlite();
  const db = new sqlite3.oo1.DB(':memory:', 'c');
  const database = new SqliteDatabase(sqlite3, db);
  let instructions = 0;
  const look = (): number => {
    instructions += 1;
    return 0;
  };
  return {
    database,
    count: (work) => {
      instructions = 0;
      sqlite3.capi.sqlite3_progress_handler(db, 1, look, 0);
      try {
        work();
      } finally {
        sqlite3.capi.sqlite3_progress_handler(db, 0, 0, 0);
      }
      return instructions;
    },
    close: () => database.close(),
  };
}
