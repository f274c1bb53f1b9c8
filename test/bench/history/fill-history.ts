import type { Database } from '../../../worker/database';

/**
 * Finished rows, put into the tables by SQL: as many as are asked for, two a second, the last of them just now. That is
 * less than a week for a million, so nothing of it is due for deletion before the clock is moved. They lie in the
 * workspace that calls are made for, so that a statement that looked at them would have to look at all.
 */

const ROWS = `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ?1)`;
const AT = `strftime('%Y-%m-%dT%H:%M:%fZ', unixepoch(?2) - (?1 - n) * 0.5, 'unixepoch')`;

const INSERT_COMMANDS = `INSERT INTO local_sync_coordinator_commands (
    command_id, workspace_id, expected_coordinator_generation, command_type, command_version, args_json,
    canonical_fingerprint, requested_by_json, requested_at, status, started_at, completed_at, updated_at)
  ${ROWS} SELECT printf('old-%08d', n), 'w', 1, 'Sync', 1, NULL, 'f', '{"tenantId":"t","userId":"u"}',
    ${AT}, 'succeeded', ${AT}, ${AT}, ${AT} FROM numbers`;

const INSERT_PERMITS = `INSERT INTO local_sync_execution_permits (
    permit_id, workspace_id, coordinator_generation, server_instance_id, owner_mode, operation_class,
    operation_identity, state, upstream_disposition, issued_at, deadline_at, last_transition_at, completed_at)
  ${ROWS} SELECT printf('old-%08d', n), 'w', 1, 's', 'browser-gateway', 'push', printf('op-%08d', n), 'released',
    'accepted', ${AT}, ${AT}, ${AT}, ${AT} FROM numbers`;

const INSERT_OBLIGATIONS = `INSERT INTO local_sync_recovery_obligations (
    obligation_id, permit_id, workspace_id, operation_class, operation_identity, upstream_disposition,
    required_action, created_at, resolved_at)
  ${ROWS} SELECT printf('old-%08d', n), printf('gone-%08d', n), 'w', 'push', printf('op-%08d', n), 'accepted',
    'replay-operation-then-reconcile', ${AT}, ${AT} FROM numbers`;

const INSERTS = {
  commands: INSERT_COMMANDS,
  permits: INSERT_PERMITS,
  obligations: INSERT_OBLIGATIONS,
} as const;
export type HistoryTable = keyof typeof INSERTS;

export function fillHistory(database: Database, table: HistoryTable, rows: number, now: string): void {
  database.transaction(() => database.prepare(INSERTS[table]).run([rows, now]));
}
