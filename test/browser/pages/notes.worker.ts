/** The worker file of the tests in real tabs: a table of notes, and handlers that do what a test needs done wrong. */
import { apply, defineWorker, mutation, query } from 'tidelock/worker';
import { z } from 'zod';

const note = z.strictObject({ id: z.string(), text: z.string() });

export const app = defineWorker({
  name: 'notes',
  migrations: [
    {
      id: 1,
      name: 'notes',
      sql: 'CREATE TABLE notes (id TEXT PRIMARY KEY, text TEXT NOT NULL, runs INTEGER NOT NULL DEFAULT 1) STRICT',
    },
  ],
  queries: {
    notes: query(z.strictObject({}), (db) =>
      db
        .all('SELECT id, text FROM notes ORDER BY id')
        .map((row) => ({ id: String(row['id']), text: String(row['text']) })),
    ),
    /** Keeps the worker busy for so long. */
    spin: query(z.strictObject({ ms: z.number() }), (_db, { ms }) => {
      const untilMs = performance.now() + ms;
      while (performance.now() < untilMs);
      return null;
    }),
  },
  mutations: {
    addNote: mutation(note, (db, { id, text }) => {
      db.run('INSERT INTO notes (id, text) VALUES (?, ?)', [id, text]);
      return { id };
    }),
    fail: mutation(z.strictObject({}), () => {
      throw new RangeError('on purpose');
    }),
  },
  apply: {
    notes: apply(z.array(note), (db, page) => {
      for (const { id, text } of page)
        db.run('INSERT OR REPLACE INTO notes (id, text) VALUES (?, ?)', [id, text]);
    }),
  },
});
app.serve();
export type App = typeof app;
