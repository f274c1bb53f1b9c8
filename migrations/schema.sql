CREATE TABLE local_sync_coordinator_state (
  coordinator_id TEXT NOT NULL PRIMARY KEY CHECK (coordinator_id = 'local-sync'),
  active_workspace_id TEXT,
  coordinator_generation INTEGER NOT NULL DEFAULT 0 CHECK (coordinator_generation >= 0),
  local_data_version INTEGER NOT NULL DEFAULT 0 CHECK (local_data_version >= 0),
  ownership_mode TEXT NOT NULL CHECK (ownership_mode IN (
    'stopped', 'browser-gateway', 'server',
    'transitioning-workspace', 'transitioning-to-server', 'transitioning-to-browser')),
  desired_ownership_mode TEXT NOT NULL CHECK (desired_ownership_mode IN ('browser-gateway', 'server')),
  transition_state TEXT NOT NULL CHECK (transition_state IN (
    'idle', 'switching-workspace', 'transferring-ownership')),
  -- A switch under way: both or neither.
  accepted_switch_command_id TEXT,
  target_workspace_id TEXT,
  -- Who asked for the switch or transfer under way.
  requested_by_json TEXT,
  -- How the last switch and the last transfer ended.
  terminal_switch_result_json TEXT,
  terminal_transfer_result_json TEXT,
  -- A transfer under way: all four or none.
  accepted_transfer_command_id TEXT,
  transfer_target_mode TEXT CHECK (transfer_target_mode IN ('browser-gateway', 'server')),
  transfer_phase TEXT CHECK (transfer_phase IN (
    'preparing', 'draining', 'generation-advanced', 'starting-target', 'stopping-source', 'committing')),
  transfer_version INTEGER,
  updated_at TEXT NOT NULL,
  CHECK ((accepted_switch_command_id IS NULL) = (target_workspace_id IS NULL)),
  CHECK ((accepted_transfer_command_id IS NULL) = (transfer_target_mode IS NULL)),
  CHECK ((accepted_transfer_command_id IS NULL) = (transfer_phase IS NULL)),
  CHECK ((accepted_transfer_command_id IS NULL) = (transfer_version IS NULL))
) STRICT;

CREATE TABLE local_sync_coordinator_commands (
  arrival INTEGER NOT NULL PRIMARY KEY,
  command_id TEXT NOT NULL UNIQUE,
  workspace_id TEXT,
  -- What the caller expected, right or wrong: no CHECK, because an envelope is kept as it came.
  expected_coordinator_generation INTEGER NOT NULL,
  command_type TEXT NOT NULL CHECK (command_type IN (
    'EnableSync', 'DisableSync', 'Sync', 'Retry', 'Repair', 'TransferOwnership', 'SwitchWorkspace')),
  command_version INTEGER NOT NULL,
  args_json TEXT,
  canonical_fingerprint TEXT NOT NULL,
  requested_by_json TEXT NOT NULL,
  requested_at TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('accepted', 'running', 'succeeded', 'failed', 'superseded')),
  started_at TEXT,
  completed_at TEXT,
  result_json TEXT,
  error_code TEXT,
  error_message TEXT,
  updated_at TEXT NOT NULL,
  -- The claim that may finish it; null where the claim asked for no token.
  claim_token TEXT,
  -- The runner's last report and sign of life.
  progress_json TEXT,
  heartbeat_at TEXT,
  CHECK ((completed_at IS NOT NULL) = (status IN ('succeeded', 'failed', 'superseded'))),
  CHECK (status <> 'running' OR started_at IS NOT NULL),
  CHECK (result_json IS NULL OR completed_at IS NOT NULL),
  CHECK (claim_token IS NULL OR status = 'running')
) STRICT;

CREATE INDEX local_sync_coordinator_commands_open ON local_sync_coordinator_commands (
  workspace_id, expected_coordinator_generation, status, command_type, requested_at, command_id
) WHERE completed_at IS NULL;

CREATE INDEX local_sync_coordinator_commands_history ON local_sync_coordinator_commands (
  completed_at, command_id
) WHERE completed_at IS NOT NULL;

CREATE INDEX local_sync_coordinator_commands_intent ON local_sync_coordinator_commands (
  workspace_id, command_type, arrival
) WHERE status IN ('accepted', 'running', 'succeeded');

CREATE TABLE local_sync_command_references (
  referenced_command_id TEXT NOT NULL,
  command_id TEXT NOT NULL,
  PRIMARY KEY (referenced_command_id, command_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX local_sync_command_references_from ON local_sync_command_references (command_id);

CREATE TABLE local_workspace_sync_runner_state (
  workspace_id TEXT NOT NULL,
  runner_id TEXT NOT NULL,
  coordinator_generation INTEGER NOT NULL,
  checkpoint_revision INTEGER NOT NULL DEFAULT 0,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (workspace_id, runner_id)
) STRICT;

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

CREATE INDEX local_sync_execution_permits_active ON local_sync_execution_permits (
  workspace_id, coordinator_generation, state, upstream_disposition
) WHERE completed_at IS NULL;

CREATE INDEX local_sync_execution_permits_deadline ON local_sync_execution_permits (
  workspace_id, deadline_at
) WHERE completed_at IS NULL;

CREATE INDEX local_sync_execution_permits_history ON local_sync_execution_permits (
  is_obliged, completed_at, permit_id
) WHERE completed_at IS NOT NULL;

CREATE INDEX local_sync_execution_permits_identity ON local_sync_execution_permits (
  workspace_id, operation_class, operation_identity
) WHERE operation_identity IS NOT NULL;

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

CREATE TABLE local_workspace_sync_cursors (
  workspace_id TEXT NOT NULL,
  stream TEXT NOT NULL,
  cursor_json TEXT,
  coordinator_generation INTEGER NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (workspace_id, stream)
) STRICT, WITHOUT ROWID;

CREATE TABLE local_sync_quarantine (
  quarantine_id INTEGER NOT NULL PRIMARY KEY,
  source_table TEXT NOT NULL,
  row_json TEXT NOT NULL,
  reason TEXT NOT NULL,
  found_at TEXT NOT NULL
) STRICT;

CREATE TABLE local_sync_call_receipts (
  call_id TEXT NOT NULL PRIMARY KEY,
  reply_json TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

CREATE INDEX local_sync_call_receipts_created ON local_sync_call_receipts (created_at);

CREATE TABLE local_sync_call_marks (
  call_id TEXT NOT NULL PRIMARY KEY,
  writer_epoch INTEGER NOT NULL CHECK (writer_epoch >= 1),
  deaths INTEGER NOT NULL CHECK (deaths >= 0),
  marked_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE local_sync_receipt_horizon (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  pruned_before TEXT NOT NULL
) STRICT;
