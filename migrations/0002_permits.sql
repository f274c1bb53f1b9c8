-- A lease for one upstream operation. Which states, dispositions and classes go together repeats the permit machine.
CREATE TABLE local_sync_execution_permits (
  permit_id TEXT NOT NULL PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  coordinator_generation INTEGER NOT NULL CHECK (coordinator_generation >= 0),
  server_instance_id TEXT NOT NULL,
  owner_mode TEXT NOT NULL CHECK (owner_mode IN ('browser-gateway', 'server')),
  operation_class TEXT NOT NULL CHECK (operation_class IN (
    'handshake', 'bootstrap', 'pull', 'push', 'repair', 'v3-dispatch', 'local-apply')),
  operation_identity TEXT,
  last_committed_cursor_json TEXT,
  state TEXT NOT NULL CHECK (state IN (
    'issued-idle', 'gateway-in-flight', 'gateway-complete-awaiting-apply', 'local-commit-entered',
    'released', 'abandoned-clean', 'abandoned-reconcile-required')),
  upstream_disposition TEXT CHECK (upstream_disposition IN ('not-started', 'unknown', 'accepted', 'rejected')),
  issued_at TEXT NOT NULL,
  deadline_at TEXT NOT NULL,
  last_transition_at TEXT NOT NULL,
  completed_at TEXT,
  error_code TEXT,
  -- The tab session it was issued for; null for the worker's own.
  holder_id TEXT,
  stream TEXT NOT NULL DEFAULT 'main',
  -- The deadline asked for at issue, kept once a renewal has moved deadline_at; null until then.
  issued_deadline_at TEXT,
  -- What settled an interrupted local commit.
  settlement_evidence_json TEXT,
  -- Whether an obligation names it, so that retention passes it over without looking.
  is_obliged INTEGER NOT NULL DEFAULT 0 CHECK (is_obliged IN (0, 1)),
  CHECK ((completed_at IS NOT NULL) = (state IN (
    'released', 'abandoned-clean', 'abandoned-reconcile-required'))),
  CHECK (operation_identity IS NULL OR operation_class IN ('push', 'v3-dispatch')),
  CHECK (operation_identity IS NOT NULL OR operation_class NOT IN ('push', 'v3-dispatch')
    OR state NOT IN ('gateway-in-flight', 'gateway-complete-awaiting-apply')),
  CHECK (operation_class <> 'local-apply' OR state NOT IN (
    'gateway-in-flight', 'gateway-complete-awaiting-apply', 'abandoned-reconcile-required')),
  CHECK (state <> 'issued-idle' OR upstream_disposition IN ('not-started')),
  CHECK (state <> 'gateway-in-flight' OR upstream_disposition IN ('unknown')),
  CHECK (state <> 'gateway-complete-awaiting-apply' OR upstream_disposition IN ('unknown', 'accepted', 'rejected')),
  CHECK (state <> 'local-commit-entered' OR upstream_disposition IN ('not-started', 'accepted')),
  CHECK (state <> 'released' OR upstream_disposition IN ('not-started', 'accepted', 'rejected')),
  CHECK (state <> 'abandoned-clean' OR upstream_disposition IN ('not-started', 'rejected')),
  CHECK (state <> 'abandoned-reconcile-required' OR upstream_disposition IN ('unknown', 'accepted')),
  CHECK (settlement_evidence_json IS NULL OR completed_at IS NOT NULL),
  CHECK (is_obliged = 0 OR state = 'abandoned-reconcile-required')
) STRICT;

-- Drains, summaries, recovery: only what is not finished.
CREATE INDEX local_sync_execution_permits_active ON local_sync_execution_permits (
  workspace_id, coordinator_generation, state, upstream_disposition
) WHERE completed_at IS NULL;

-- Expiry: only what is due.
CREATE INDEX local_sync_execution_permits_deadline ON local_sync_execution_permits (
  workspace_id, deadline_at
) WHERE completed_at IS NULL;

-- Retention: only what is finished, the obliged apart.
CREATE INDEX local_sync_execution_permits_history ON local_sync_execution_permits (
  is_obliged, completed_at, permit_id
) WHERE completed_at IS NOT NULL;

-- The permits of one mutation.
CREATE INDEX local_sync_execution_permits_identity ON local_sync_execution_permits (
  workspace_id, operation_class, operation_identity
) WHERE operation_identity IS NOT NULL;

-- An operation that ended unsettled, and what must be done about it. At most one a permit, resolved once.
CREATE TABLE local_sync_recovery_obligations (
  -- Order of insertion.
  arrival INTEGER NOT NULL PRIMARY KEY,
  obligation_id TEXT NOT NULL UNIQUE,
  permit_id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL,
  operation_class TEXT NOT NULL CHECK (operation_class IN (
    'handshake', 'bootstrap', 'pull', 'push', 'repair', 'v3-dispatch')),
  operation_identity TEXT,
  upstream_disposition TEXT NOT NULL CHECK (upstream_disposition IN ('unknown', 'accepted')),
  last_committed_cursor_json TEXT,
  required_action TEXT NOT NULL CHECK (required_action IN (
    'replay-operation-then-reconcile', 'refetch-from-committed-cursor')),
  created_at TEXT NOT NULL,
  resolved_at TEXT,
  -- The evidence that settled it.
  resolved_boundary_json TEXT,
  stream TEXT NOT NULL DEFAULT 'main',
  CHECK ((required_action = 'replay-operation-then-reconcile') = (
    operation_identity IS NOT NULL AND operation_class IN ('push', 'v3-dispatch'))),
  CHECK (resolved_boundary_json IS NULL OR resolved_at IS NOT NULL)
) STRICT;

CREATE INDEX local_sync_recovery_obligations_open ON local_sync_recovery_obligations (
  workspace_id, operation_class, operation_identity
) WHERE resolved_at IS NULL;

CREATE INDEX local_sync_recovery_obligations_history ON local_sync_recovery_obligations (
  resolved_at, obligation_id
) WHERE resolved_at IS NOT NULL;
