import type { Database } from '../database';

/** Whether a mutation may be sent now: `busy` while a permit for it is active, `already-accepted` once one was settled. */
export type OperationStanding = 'free' | 'busy' | 'already-accepted';

const FIND = `SELECT state FROM local_sync_execution_permits
  WHERE workspace_id = ?1 AND operation_class = 'push' AND operation_identity = ?2
    AND (completed_at IS NULL OR (state = 'released' AND upstream_disposition = 'accepted'))
  ORDER BY completed_at IS NULL DESC LIMIT 1`;

/** Looks only as far back as terminal permits are kept; past that the app's own outbox is what knows. */
export function readOperationStanding(
  database: Database,
  { workspaceId, operationIdentity }: { readonly workspaceId: string; readonly operationIdentity: string },
): OperationStanding {
  const state = database.prepare(FIND).get([workspaceId, operationIdentity])?.['state'];
  if (state === undefined) return 'free';
  return state === 'released' ? 'already-accepted' : 'busy';
}
