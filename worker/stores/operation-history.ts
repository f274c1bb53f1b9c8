import type { Database } from '../database';

/** Whether a mutation may be sent now: `busy` while a permit for it is active, `already-accepted` once one was settled. */
export type OperationStanding = 'free' | 'busy' | 'already-accepted';

const FIND = `SELECT state FROM local_sync_execution_permits
  WHERE workspace_id = ?1 AND operation_class = 'push' AND operation_identity = ?2
    AND (completed_at IS NULL OR (state = 'released' AND upstream_disposition = 'accepted'))
  ORDER BY completed_at IS NULL DESC LIMIT 1`;

const FIND_OPEN_REPLAY = `SELECT 1 FROM local_sync_recovery_obligations
  WHERE workspace_id = ?1 AND operation_class = 'push' AND operation_identity = ?2 AND resolved_at IS NULL LIMIT 1`;

/**
 * Looks only as far back as terminal permits are kept; past that the app's own outbox is what knows. One that was
 * accepted while another attempt at it ended unknown is free: only a replay can settle what that attempt left open.
 */
export function readOperationStanding(
  database: Database,
  { workspaceId, operationIdentity }: { readonly workspaceId: string; readonly operationIdentity: string },
): OperationStanding {
  const operation = [workspaceId, operationIdentity];
  const state = database.prepare(FIND).get(operation)?.['state'];
  if (state === undefined) return 'free';
  if (state !== 'released') return 'busy';
  return database.prepare(FIND_OPEN_REPLAY).get(operation) === undefined ? 'already-accepted' : 'free';
}
