import { isCanonicallyEqual } from './canonical-json';
import type { OwnerMode } from './coordinator-vocabulary';
import { STORE_CODES } from './error-codes';
import { findInstantMs } from './instant';
import { isGiven } from './is-given';
import { isMutation } from './operation-class';
import type { IssueInput, Permit } from './permit';
import { DEFAULT_STREAM } from './permit-vocabulary';
import { refuse } from './refuse';

/** Only mutations are named: an identity on anything else is a mistake. */
export function assertIdentityAllowed(input: Pick<IssueInput, 'operationClass' | 'operationIdentity'>): void {
  if (!isGiven(input.operationIdentity) || isMutation(input.operationClass)) return;
  refuse(STORE_CODES.PERMIT_IDENTITY_CONFLICT, `A ${input.operationClass} has no operation identity.`, {
    expected: null,
    actual: input.operationIdentity,
  });
}

/**
 * Answers an issue whose permit id is known: the stored permit, whatever became of it, if everything that was asked
 * for is the same. The deadline compares with the one it was issued with, since a renewal may have moved it.
 */
export function mustBeSameIssue(
  stored: Permit,
  issuedDeadlineAt: string,
  input: IssueInput,
  owner: OwnerMode,
): Permit {
  const isSame =
    stored.ownerMode === owner &&
    stored.workspaceId === input.workspaceId &&
    stored.coordinatorGeneration === input.coordinatorGeneration &&
    stored.serverInstanceId === input.serverInstanceId &&
    stored.operationClass === input.operationClass &&
    stored.stream === (input.stream ?? DEFAULT_STREAM) &&
    (!isGiven(input.operationIdentity) || stored.operationIdentity === input.operationIdentity) &&
    isCanonicallyEqual(stored.lastCommittedCursor, input.lastCommittedCursor ?? null) &&
    findInstantMs(issuedDeadlineAt) === findInstantMs(input.deadlineAt);
  if (isSame) return stored;
  return refuse(
    STORE_CODES.PERMIT_IDENTITY_CONFLICT,
    `Permit "${stored.permitId}" was issued for something else.`,
    { expected: 'the same inputs', actual: input.permitId },
  );
}
