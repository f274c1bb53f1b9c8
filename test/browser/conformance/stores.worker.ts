/**
 * A worker that runs recorded traces on OPFS, as the writer's worker would have them: one database on disk, opened by
 * the library, every commit flushed. It is emptied after each trace; a file of its own for each would take longer than
 * the trace.
 */
import type { SqliteDatabase } from '../../../worker/sqlite/sqlite-database';
import { openOpfs } from '../../../worker/sqlite/open-opfs';
import type { OpenedDatabase } from '../../../worker/sqlite/opened-database';
import { runTrace } from '../../conformance/runner';
import type { Trace } from '../../conformance/trace';

export type Request =
  | { readonly kind: 'open'; readonly name: string }
  | { readonly kind: 'run'; readonly trace: Trace }
  | { readonly kind: 'close' };

export type Answer =
  | { readonly ok: true; readonly difference: string | null; readonly tables: readonly string[] }
  | { readonly ok: false; readonly message: string };

let opened: OpenedDatabase | undefined;
/** The tables the database was born with; everything else is a trace's. */
let ownTables: readonly string[] = [];

async function answer(request: Request): Promise<string | null> {
  if (request.kind === 'open') {
    opened = await openOpfs({ name: request.name });
    ownTables = listTables(opened.database);
    return null;
  }
  if (opened === undefined) throw new Error('no database is open');
  const { database } = opened;
  if (request.kind === 'run') {
    return runTrace(request.trace, { database, close: () => dropTables(database) }) ?? null;
  }
  opened.close();
  return null;
}

function listTables(database: SqliteDatabase): readonly string[] {
  return database
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`)
    .all()
    .map(({ name }) => String(name));
}

function dropTables(database: SqliteDatabase): void {
  const added = listTables(database).filter((name) => !ownTables.includes(name));
  database.exec(added.map((name) => `DROP TABLE ${name};`).join('\n'));
}

addEventListener('message', ({ data, ports: [port] }: MessageEvent<Request>) => {
  answer(data).then(
    (difference) => {
      const tables = data.kind === 'close' || opened === undefined ? [] : listTables(opened.database);
      port?.postMessage({ ok: true, difference, tables } satisfies Answer);
    },
    (error: unknown) => {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      port?.postMessage({ ok: false, message } satisfies Answer);
    },
  );
});
