import { onTestFinished } from 'vitest';
import { STORE_MIGRATIONS } from '../../migrations/migrations.generated';
import type { OwnedFence, Permit } from '../../src/domain/permit';
import type { Database, Statement } from '../../worker/database';
import { loadSqlite } from '../../worker/sqlite/load-sqlite';
import { openMemory } from '../../worker/sqlite/open-memory';
import { SqliteDatabase } from '../../worker/sqlite/sqlite-database';
import { openStores, type Stores } from '../../worker/stores';
import { TestClock, toFence, switchTo, type TestDatabase } from '../stores/support/store-setup';

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

export interface WrappedSetup extends Stores {
  readonly database: TestDatabase;
  readonly clock: TestClock;
}

/** Stores over a database that `wrap` stands before, workspace `w` active at generation 1. */
export async function setupWrapped(wrap: (database: TestDatabase) => Database): Promise<WrappedSetup> {
  const { database, close } = await openMemory();
  onTestFinished(close);
  for (const { sql } of STORE_MIGRATIONS) database.exec(sql);
  const clock = new TestClock();
  let ids = 0;
  const stores = openStores({ database: wrap(database), clock: clock.read, newId: () => `id-${++ids}` });
  stores.coordinator.setLifecycleMode('browser-gateway', 'idle');
  switchTo(stores, { commandId: 'boot', from: null, to: 'w', generation: 0 });
  return { ...stores, database, clock };
}

/** What comes between a call's look at a row and its write. */
export class Intruder {
  #armed: { readonly table: string; readonly sql: string } | undefined;

  /** Right before the next UPDATE of this table, or DELETE from it, by a call, this runs. */
  arm(table: string, sql: string): void {
    this.#armed = { table, sql };
  }

  wrap(inner: TestDatabase): Database {
    return {
      provider: inner.provider,
      prepare: (sql) => this.#wrapStatement(inner, sql),
      transaction: (work) => inner.transaction(work),
      get isInTransaction() {
        return inner.isInTransaction;
      },
    };
  }

  #wrapStatement(inner: TestDatabase, sql: string): Statement {
    const statement = inner.prepare(sql);
    return {
      get: (params) => statement.get(params),
      all: (params) => statement.all(params),
      run: (params) => {
        const armed = this.#armed;
        const isWrite =
          sql.startsWith(`UPDATE ${armed?.table}`) || sql.startsWith(`DELETE FROM ${armed?.table}`);
        if (armed !== undefined && isWrite) {
          this.#armed = undefined;
          inner.exec(armed.sql);
        }
        return statement.run(params);
      },
    };
  }
}

/** Stores, and somebody who can come between a look and a write. */
export async function setupWithIntruder(): Promise<WrappedSetup & { readonly intruder: Intruder }> {
  const intruder = new Intruder();
  return { ...(await setupWrapped((database) => intruder.wrap(database))), intruder };
}
