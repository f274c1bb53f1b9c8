import { toOutdatedResult } from '../../../src/domain/command-intent';
import { RUNNER_COMMAND_TYPES } from '../../../src/domain/coordinator-vocabulary';
import { toJsonColumn } from '../row-reader';
import type { StoreCall } from '../store-call';

/** What becomes of open commands of older generations when a transition has ended. */

const RUNNER_TYPES = RUNNER_COMMAND_TYPES.map((type) => `'${type}'`).join(', ');

const SETTLE = `UPDATE local_sync_coordinator_commands
  SET status = 'superseded', completed_at = ?1, updated_at = ?1, result_json = ?2, error_code = NULL,
    error_message = NULL, claim_token = NULL
  WHERE completed_at IS NULL AND (workspace_id = ?3 OR workspace_id IS NULL)
    AND expected_coordinator_generation < ?4 AND command_id <> ?5
    AND (status = 'accepted' OR command_type IN (${RUNNER_TYPES}))`;

const MOVE_ALONG = `UPDATE local_sync_coordinator_commands
  SET expected_coordinator_generation = ?1, updated_at = ?2
  WHERE completed_at IS NULL AND workspace_id = ?3 AND expected_coordinator_generation < ?1
    AND command_type IN (${RUNNER_TYPES})`;

export interface EndedTransition {
  /** The workspace that was left, or stayed in; null where there was none, and then nothing is settled. */
  readonly workspaceId: string | null;
  /** The generation that holds now. */
  readonly generation: number;
  /** The command that owns the transition, settled by its own rules. */
  readonly commandId: string;
}

/** The transition succeeded: what was asked for under older generations is not done any more. */
export function settleOlderCommands(
  call: StoreCall,
  { workspaceId, generation, commandId }: EndedTransition,
): void {
  if (workspaceId === null) return;
  const result = toJsonColumn(toOutdatedResult(generation));
  call.database.prepare(SETTLE).run([call.now, result, workspaceId, generation, commandId]);
}

/** The transition failed: runner commands live on under the generation that holds now; the rest is settled. */
export function moveRunnerCommandsAlong(call: StoreCall, ended: EndedTransition): void {
  call.database.prepare(MOVE_ALONG).run([ended.generation, call.now, ended.workspaceId]);
  settleOlderCommands(call, ended);
}
