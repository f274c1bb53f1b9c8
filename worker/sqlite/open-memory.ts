import { loadSqlite } from './load-sqlite';
import { SqliteDatabase } from './sqlite-database';

/** A database in memory, gone with `close`: for Node, tests, and apps that asked for it. The caller closes it. */
export async function openMemory(): Promise<SqliteDatabase> {
  const sqlite3 = await loadSqlite();
  const db = new SqliteDatabase(sqlite3, new sqlite3.oo1.DB(':memory:', 'c'));
  db.exec('PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF;');
  return db;
}
