import type { Migration } from 'tidelock/worker';

/** The board's own tables. Rows of every workspace live side by side, so each names its own. */
export const migrations: readonly Migration[] = [
  {
    id: 1,
    name: 'tasks-and-outbox',
    sql: `
      CREATE TABLE tasks (
        workspace_id TEXT NOT NULL,
        task_id TEXT NOT NULL,
        title TEXT NOT NULL,
        done INTEGER NOT NULL DEFAULT 0 CHECK (done IN (0, 1)),
        created_at TEXT NOT NULL,
        PRIMARY KEY (workspace_id, task_id)
      ) STRICT;
      -- What the upstream has not settled yet, in the order it was done here.
      CREATE TABLE outbox (
        position INTEGER PRIMARY KEY,
        workspace_id TEXT NOT NULL,
        identity TEXT NOT NULL UNIQUE,
        task_id TEXT NOT NULL,
        payload_json TEXT NOT NULL,
        rejected_reason TEXT
      ) STRICT;
      CREATE INDEX outbox_by_task ON outbox (workspace_id, task_id, position);
    `,
  },
];
