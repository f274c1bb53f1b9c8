/** The next build of the notes: its second migration does not run. */
import { defineWorker } from 'tidelock/worker';

const app = defineWorker({
  name: 'notes',
  migrations: [
    {
      id: 1,
      name: 'notes',
      sql: 'CREATE TABLE notes (id TEXT PRIMARY KEY, text TEXT NOT NULL, runs INTEGER NOT NULL DEFAULT 1) STRICT',
    },
    { id: 2, name: 'broken', sql: 'CREATE TABLE extra (id TEXT) STRICT; INSERT INTO nowhere VALUES (1);' },
  ],
});
app.serve();
