import { assertDeadlineAhead, assertSteadyState } from '../../../src/domain/admission';
import type { OwnerMode } from '../../../src/domain/coordinator-vocabulary';
import { STORE_CODES } from '../../../src/domain/error-codes';
import { toInstant } from '../../../src/domain/instant';
import { assertIdentityAllowed, mustBeSameIssue } from '../../../src/domain/issue-decision';
import type { IssueInput, Permit } from '../../../src/domain/permit';
import { DEFAULT_STREAM } from '../../../src/domain/permit-vocabulary';
import { refuse } from '../../../src/domain/refuse';
import { readAdmission } from '../coordinator/admission-row';
import type { StoreCall } from '../store-call';
import type { BlockedWorkspaces } from './blocked-workspaces';
import { findStoredPermit, insertPermit } from './permit-rows';

/** Issues a permit to its owner, or gives back the one this id was issued for, whatever became of it. */
export function issuePermit(
  call: StoreCall,
  blocked: BlockedWorkspaces,
  input: IssueInput,
  ownerMode: OwnerMode,
): Permit {
  assertIdentityAllowed(input);
  const permitId = input.permitId ?? call.newId();
  const known = findStoredPermit(call, permitId);
  if (known !== null) return mustBeSameIssue(known.permit, known.issuedDeadlineAt, input, ownerMode);

  if (blocked.has(call, input.workspaceId)) {
    refuse(STORE_CODES.LOCAL_COMMIT_INVARIANT, `Workspace "${input.workspaceId}" is blocked.`, {
      expected: 'settled local commits',
      actual: input.workspaceId,
    });
  }
  const deadlineMs = assertDeadlineAhead(input.deadlineAt, call.nowMs);
  assertSteadyState(readAdmission(call), {
    workspaceId: input.workspaceId,
    coordinatorGeneration: input.coordinatorGeneration,
    ownerMode,
  });
  const permit: Permit = {
    permitId,
    workspaceId: input.workspaceId,
    coordinatorGeneration: input.coordinatorGeneration,
    serverInstanceId: input.serverInstanceId,
    ownerMode,
    operationClass: input.operationClass,
    operationIdentity: input.operationIdentity ?? null,
    lastCommittedCursor: input.lastCommittedCursor ?? null,
    state: 'issued-idle',
    upstreamDisposition: 'not-started',
    issuedAt: call.now,
    deadlineAt: toInstant(deadlineMs),
    lastTransitionAt: call.now,
    completedAt: null,
    errorCode: null,
    holderId: input.holderId ?? null,
    stream: input.stream ?? DEFAULT_STREAM,
    settlementEvidence: null,
  };
  insertPermit(call, permit);
  return permit;
}
