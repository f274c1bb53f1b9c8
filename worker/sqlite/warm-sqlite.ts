import { loadSqlite } from './load-sqlite';
import { SqliteDatabase } from './sqlite-database';
import { applyConnectionPragmas } from './storage-pragmas';

/** Touches what an opening and the first calls need: parser, tables, indexes, joins, savepoints, constraints. */
const REHEARSAL = `
  CREATE TABLE permits (
    id TEXT PRIMARY KEY, state TEXT NOT NULL CHECK (state IN ('issued', 'released')), deadline_at INTEGER, json TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX permits_by_state ON permits (state, deadline_at);
  CREATE TABLE notes (id INTEGER PRIMARY KEY, permit_id TEXT REFERENCES permits) STRICT;
  BEGIN IMMEDIATE;
  SAVEPOINT one;
  INSERT INTO permits VALUES ('a', 'issued', 1, '{"v":1}'), ('b', 'issued', 2, NULL) RETURNING id;
  INSERT INTO notes (permit_id) SELECT id FROM permits;
  UPDATE permits SET state = 'released', json = json_extract(json, '$.v') WHERE id = 'a' AND state = 'issued';
  INSERT INTO notes VALUES (1, 'a') ON CONFLICT DO NOTHING;
  DELETE FROM notes WHERE permit_id = 'b';
  RELEASE one;
  COMMIT;
  SELECT state, count(*), max(deadline_at) FROM permits LEFT JOIN notes ON permit_id = permits.id
    WHERE deadline_at < 9 AND EXISTS (SELECT 1 FROM notes) GROUP BY state ORDER BY 2 DESC LIMIT 3;
  SELECT name FROM sqlite_schema WHERE name LIKE 'p%';`;

/**
 * Loads SQLite and runs a little of everything once, on a throw-away database in memory: browsers compile a WASM
 * function when it is first called, which an opening pays for with tens of milliseconds. For workers that stand by.
 */
export async function warmSqlite(): Promise<void> {
  const sqlite3 = await loadSqlite();
  const database = new SqliteDatabase(sqlite3, new sqlite3.oo1.DB(':memory:', 'c'));
  try {
    applyConnectionPragmas(database);
    database.exec(REHEARSAL);
    const insert = database.prepare('INSERT INTO notes (permit_id) VALUES (?)');
    database.transaction(() => database.transaction(() => insert.run(['a'])));
    database.prepare('SELECT * FROM permits').all();
  } finally {
    database.close();
  }
}
