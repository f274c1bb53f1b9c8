import { ROW_CODES } from '../../../src/domain/error-codes';
import type {
  AbandonForDrainInput,
  AbandonHolderInput,
  AbandonmentCounts,
  AdoptPermitsInput,
  DrainAbandonment,
  Permit,
  PriorRecovery,
  RecoverExpiredInput,
  RecoverPriorInput,
} from '../../../src/domain/permit';
import type { StoreCall } from '../store-call';
import { abandonAll } from './abandon';
import type { BlockedWorkspaces } from './blocked-workspaces';
import { countNeverStarted, mustBeDrainLimit } from './inspect-permits';
import { PERMIT_COLUMNS, readPermits } from './permit-rows';

/** Ends, or takes over, permits whose holder, writer or time is gone. What is in local commit is never touched here. */

const OLDEST_FIRST = 'ORDER BY issued_at, permit_id';
const SELECT_ACTIVE = `SELECT ${PERMIT_COLUMNS} FROM local_sync_execution_permits`;

const SELECT_NEVER_STARTED = `${SELECT_ACTIVE}
  WHERE workspace_id = ? AND coordinator_generation = ? AND state = 'issued-idle'
    AND upstream_disposition = 'not-started' AND completed_at IS NULL ${OLDEST_FIRST} LIMIT ?`;
const SELECT_DUE = `${SELECT_ACTIVE}
  WHERE workspace_id = ? AND deadline_at <= ? AND completed_at IS NULL AND server_instance_id = ?
    AND state <> 'local-commit-entered' ${OLDEST_FIRST}`;
const SELECT_PRIOR = `${SELECT_ACTIVE} WHERE completed_at IS NULL AND server_instance_id <> ? ${OLDEST_FIRST}`;
const SELECT_PRIOR_OF_WORKSPACE = `${SELECT_ACTIVE}
  WHERE workspace_id = ? AND completed_at IS NULL AND server_instance_id <> ? ${OLDEST_FIRST}`;
const SELECT_OF_HOLDER = `${SELECT_ACTIVE}
  WHERE completed_at IS NULL AND holder_id = ? AND server_instance_id = ?
    AND state <> 'local-commit-entered' ${OLDEST_FIRST}`;
const ADOPT = `UPDATE local_sync_execution_permits SET server_instance_id = ?
  WHERE completed_at IS NULL AND server_instance_id <> ? AND holder_id = ? AND state <> 'local-commit-entered'`;

/** Ends permits that never started, so that a drain need not wait for them. */
export function abandonNeverStarted(call: StoreCall, input: AbandonForDrainInput): DrainAbandonment {
  const { workspaceId, coordinatorGeneration } = input;
  const permits = readPermits(call, SELECT_NEVER_STARTED, [
    workspaceId,
    coordinatorGeneration,
    mustBeDrainLimit(input),
  ]);
  abandonAll(call, permits, {
    by: 'drain',
    errorCode: input.errorCode ?? ROW_CODES.PERMIT_DRAINED_NOT_STARTED,
  });
  return {
    abandonedPermitIds: permits.map((permit) => permit.permitId),
    remainingEligible: countNeverStarted(call, input),
  };
}

export function recoverExpired(call: StoreCall, input: RecoverExpiredInput): AbandonmentCounts {
  const excluded = new Set(input.excludePermitIds);
  const due = readPermits(call, SELECT_DUE, [input.workspaceId, call.now, input.currentServerInstanceId]);
  return abandonAll(
    call,
    due.filter((permit) => !excluded.has(permit.permitId)),
    { by: 'expiry', errorCode: ROW_CODES.PERMIT_EXPIRED },
  );
}

/** Settles what earlier writers left, and blocks the workspaces of those that died in a local commit. */
export function recoverPrior(
  call: StoreCall,
  blocked: BlockedWorkspaces,
  { currentServerInstanceId, workspaceId }: RecoverPriorInput,
): PriorRecovery {
  const prior =
    workspaceId === undefined || workspaceId === null
      ? readPermits(call, SELECT_PRIOR, [currentServerInstanceId])
      : readPermits(call, SELECT_PRIOR_OF_WORKSPACE, [workspaceId, currentServerInstanceId]);
  const isPending = (permit: Permit): boolean => permit.state === 'local-commit-entered';
  const pending = prior.filter(isPending);
  for (const permit of pending) blocked.block(permit.workspaceId, permit.permitId);
  const settled = prior.filter((permit) => !isPending(permit));
  const counts = abandonAll(call, settled, { by: 'restart', errorCode: ROW_CODES.SERVER_RESTARTED });
  return { ...counts, localCommitPending: pending.length };
}

/** Takes over the permits of tabs that outlived the writer which issued them. Run before `recoverPrior`. */
export function adoptPermits(call: StoreCall, input: AdoptPermitsInput): { readonly adopted: number } {
  const current = input.currentServerInstanceId;
  const adopt = call.database.prepare(ADOPT);
  let adopted = 0;
  for (const holderId of new Set(input.holderIds)) {
    adopted += adopt.run([current, current, holderId]).changes;
  }
  return { adopted };
}

export function abandonHolder(call: StoreCall, input: AbandonHolderInput): AbandonmentCounts {
  const permits = readPermits(call, SELECT_OF_HOLDER, [input.holderId, input.currentServerInstanceId]);
  return abandonAll(call, permits, { by: 'holder-gone', errorCode: ROW_CODES.HOLDER_GONE });
}
