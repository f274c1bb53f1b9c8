-- Calls that a writer died with, while the next one runs them alone: what is still here after another death may be to
-- blame; `deaths` counts the earlier ones of that kind.
CREATE TABLE local_sync_call_marks (
  call_id TEXT NOT NULL PRIMARY KEY,
  writer_epoch INTEGER NOT NULL CHECK (writer_epoch >= 1),
  deaths INTEGER NOT NULL CHECK (deaths >= 0),
  marked_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Up to when receipts were pruned: of a call made before, a missing receipt says nothing.
CREATE TABLE local_sync_receipt_horizon (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  pruned_before TEXT NOT NULL
) STRICT;
