import { readForUpdate, type StoreCall } from '../store-call';

const RAISE_STRAYED = `UPDATE local_workspace_sync_runner_state
  SET coordinator_generation = ?, checkpoint_revision = checkpoint_revision + 1, updated_at = ?
  WHERE workspace_id = ? AND coordinator_generation <> ?`;
const FIND_STRAYED = `SELECT runner_id, coordinator_generation FROM local_workspace_sync_runner_state
  WHERE workspace_id = ? AND coordinator_generation <> ? LIMIT 1`;

/** Brings the checkpoints of a workspace that are elsewhere to a generation; no workspace has none. */
export function alignCheckpoints(call: StoreCall, workspaceId: string | null, generation: number): void {
  call.database.prepare(RAISE_STRAYED).run([generation, call.now, workspaceId, generation]);
}

/** The generation of some checkpoint of the workspace that is not at the given one, or undefined. */
export function findStrayedGeneration(
  call: StoreCall,
  workspaceId: string,
  generation: number,
): number | undefined {
  const row = readForUpdate(call.database, FIND_STRAYED, [workspaceId, generation]);
  return row === undefined ? undefined : Number(row['coordinator_generation']);
}
