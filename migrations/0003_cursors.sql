-- How far each stream of a workspace is committed locally.
CREATE TABLE local_workspace_sync_cursors (
  workspace_id TEXT NOT NULL,
  stream TEXT NOT NULL,
  cursor_json TEXT,
  coordinator_generation INTEGER NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (workspace_id, stream)
) STRICT, WITHOUT ROWID;

-- Rows that could not be decoded, as they were found.
CREATE TABLE local_sync_quarantine (
  quarantine_id INTEGER NOT NULL PRIMARY KEY,
  source_table TEXT NOT NULL,
  row_json TEXT NOT NULL,
  reason TEXT NOT NULL,
  found_at TEXT NOT NULL
) STRICT;

-- The replies of mutating calls whose own row does not answer a repeat.
CREATE TABLE local_sync_call_receipts (
  call_id TEXT NOT NULL PRIMARY KEY,
  reply_json TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

CREATE INDEX local_sync_call_receipts_created ON local_sync_call_receipts (created_at);
