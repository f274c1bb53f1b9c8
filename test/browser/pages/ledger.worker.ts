/**
 * A worker file that counts effects: each entry is a row of its own, so what is done twice is there twice. Beside it,
 * handlers that do to their worker what no handler should.
 */
import { die, dieBeforeReply, stall } from './faults';
import { build, buildName } from './ledger-builds';
import { apply, defineWorker, mutation, query } from 'tidelock/worker';
import { z } from 'zod';

const entry = z.strictObject({ tab: z.string(), n: z.number() });
const nothing = z.strictObject({});
const INSERT = 'INSERT INTO entries (tab, n, workspace) VALUES (?, ?, ?)';

function spin(ms: number): null {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
  return null;
}

export const app = defineWorker({
  name: 'ledger',
  version: build.version,
  migrations: build.migrations,
  queries: {
    entries: query(nothing, (db) =>
      db.all('SELECT tab, n, workspace FROM entries ORDER BY seq').map((row) => ({
        tab: String(row['tab']),
        n: Number(row['n']),
        workspace: String(row['workspace']),
      })),
    ),
    /** Which build answers. */
    build: query(nothing, () => buildName),
    count: query(nothing, (db) => Number(db.all('SELECT count(*) AS n FROM entries')[0]?.['n'])),
    /** Keeps the worker busy for so long. */
    spin: query(z.strictObject({ ms: z.number() }), (_db, { ms }) => spin(ms)),
    stallForEver: query(nothing, (): null => stall()),
    dieBeforeReply: query(z.strictObject({ nth: z.number() }), (_db, { nth }) => {
      // This query's own reply is the first.
      dieBeforeReply(nth + 1);
      return null;
    }),
    dieInQuery: query(nothing, (): null => {
      die();
      throw new Error('the worker is gone');
    }),
    isIsolated: query(nothing, () => crossOriginIsolated),
    throwing: query(nothing, (): null => {
      throw new RangeError('on purpose');
    }),
    returningPromise: query(nothing, () => Promise.resolve(1)),
    writing: query(nothing, (db) => db.all("INSERT INTO entries (tab, n, workspace) VALUES ('q', 0, '')")),
  },
  mutations: {
    append: mutation(entry, (db, { tab, n }, { workspaceId }) => {
      db.run(INSERT, [tab, n, workspaceId]);
      return { tab, n };
    }),
    appendSlowly: mutation(entry.extend({ ms: z.number() }), (db, { tab, n, ms }, { workspaceId }) => {
      db.run(INSERT, [tab, n, workspaceId]);
      return spin(ms);
    }),
    stallForEver: mutation(entry, (db, { tab, n }, { workspaceId }): null => {
      db.run(INSERT, [tab, n, workspaceId]);
      return stall();
    }),
    /** The worker crashes in the middle of the handler. */
    die: mutation(entry, (db, { tab, n }, { workspaceId }): null => {
      db.run(INSERT, [tab, n, workspaceId]);
      die();
      throw new Error('the worker is gone');
    }),
    /** The handler ends its worker and goes on as if nothing were. */
    closeWorker: mutation(entry, (db, { tab, n }, { workspaceId }) => {
      db.run(INSERT, [tab, n, workspaceId]);
      close();
      return null;
    }),
    throwing: mutation(entry, (db, { tab, n }, { workspaceId }): null => {
      db.run(INSERT, [tab, n, workspaceId]);
      throw new RangeError('on purpose');
    }),
    returningPromise: mutation(nothing, () => Promise.resolve(1)),
    committing: mutation(nothing, (db) => void db.run('COMMIT')),
    breakingConstraint: mutation(
      nothing,
      (db) => void db.run('INSERT OR ROLLBACK INTO entries (tab, n) VALUES (?, ?)', ['x', 0]),
    ),
  },
  apply: {
    append: apply(z.array(entry), (db, page, { workspaceId }) => {
      for (const { tab, n } of page) db.run(INSERT, [tab, n, workspaceId]);
      return page.length;
    }),
    throwing: apply(z.unknown(), (): null => {
      throw new RangeError('on purpose');
    }),
  },
});
app.serve();
export type App = typeof app;
