-- Calls that a writer died with, while the next one runs them: what is still here after another death is to blame.
CREATE TABLE local_sync_call_marks (
  call_id TEXT NOT NULL PRIMARY KEY,
  writer_epoch INTEGER NOT NULL CHECK (writer_epoch >= 1),
  marked_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
