import { ensureDatabaseId } from './database-identity';
import { loadSqlite } from './load-sqlite';
import type { OpenedDatabase } from './opened-database';
import { SqliteDatabase } from './sqlite-database';
import { applyConnectionPragmas } from './storage-pragmas';

/** A database in memory, gone with `close`: for Node, tests, and apps that asked for it. The caller closes it. */
export async function openMemory(): Promise<OpenedDatabase> {
  const sqlite3 = await loadSqlite();
  const database = new SqliteDatabase(sqlite3, new sqlite3.oo1.DB(':memory:', 'c'));
  applyConnectionPragmas(database);
  return {
    database,
    storage: 'memory',
    databaseId: ensureDatabaseId(database, Date.now()),
    close: () => database.close(),
  };
}
