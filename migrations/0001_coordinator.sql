-- The one row that says who synchronises which workspace, under which generation.
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

-- Durable, idempotent requests. `arrival` is the order they came in, which no clock can disturb.
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

-- Leaders, lists, claims, recovery: only what is not finished.
CREATE INDEX local_sync_coordinator_commands_open ON local_sync_coordinator_commands (
  workspace_id, expected_coordinator_generation, status, command_type, requested_at, command_id
) WHERE completed_at IS NULL;

-- Retention: only what is finished.
CREATE INDEX local_sync_coordinator_commands_history ON local_sync_coordinator_commands (
  completed_at, command_id
) WHERE completed_at IS NOT NULL;

-- Later intents, newest first.
CREATE INDEX local_sync_coordinator_commands_intent ON local_sync_coordinator_commands (
  workspace_id, command_type, arrival
) WHERE status IN ('accepted', 'running', 'succeeded');

-- Which commands a command's result names, so that retention asks by index who still needs one.
CREATE TABLE local_sync_command_references (
  referenced_command_id TEXT NOT NULL,
  command_id TEXT NOT NULL,
  PRIMARY KEY (referenced_command_id, command_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX local_sync_command_references_from ON local_sync_command_references (command_id);

-- One checkpoint a runner.
CREATE TABLE local_workspace_sync_runner_state (
  workspace_id TEXT NOT NULL,
  runner_id TEXT NOT NULL,
  coordinator_generation INTEGER NOT NULL,
  checkpoint_revision INTEGER NOT NULL DEFAULT 0,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (workspace_id, runner_id)
) STRICT;
