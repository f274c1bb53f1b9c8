import { isCanonicallyEqual } from './canonical-json';
import type { CompletionGroup } from './completion-group';
import { STORE_CODES } from './error-codes';
import type { Json } from './json';
import type { Permit } from './permit';
import type { DispatchResolution, Obligation, OwnedScope } from './recovery-obligation';
import { refuse } from './refuse';

/** An obligation and as much of the permit it came from as decides who may resolve it. */
export interface ObligationWithOrigin {
  readonly obligation: Obligation;
  readonly origin: Pick<Permit, 'coordinatorGeneration' | 'operationIdentity' | 'lastCommittedCursor'>;
}

export function mustExist(found: ObligationWithOrigin | null, obligationId: string): ObligationWithOrigin {
  if (found !== null) return found;
  return refuse(STORE_CODES.PERMIT_NOT_FOUND, `There is no recovery obligation "${obligationId}".`, {
    expected: obligationId,
    actual: null,
  });
}

/** Whether a group that fetched again from the committed cursor settles this obligation. */
export function assertRefetchSettles(
  { obligation, origin }: ObligationWithOrigin,
  group: CompletionGroup,
  permits: readonly Permit[],
): void {
  assertWorkspace(obligation, group);
  assertNotNewer(origin, group);
  if (obligation.requiredAction !== 'refetch-from-committed-cursor') {
    refuse(STORE_CODES.PERMIT_STATE_CONFLICT, 'The obligation asks for a replay, not a refetch.', {
      expected: 'refetch-from-committed-cursor',
      actual: obligation.requiredAction,
    });
  }
  const stranger = permits.find((permit) => permit.operationClass !== obligation.operationClass);
  if (stranger !== undefined) {
    refuse(STORE_CODES.PERMIT_IDENTITY_CONFLICT, 'The obligation is of another class than the group.', {
      expected: obligation.operationClass,
      actual: stranger.operationClass,
    });
  }
  for (const cursor of [obligation.lastCommittedCursor, origin.lastCommittedCursor]) {
    if (isCanonicallyEqual(cursor, group.previousBoundary)) continue;
    refuse(STORE_CODES.PERMIT_STATE_CONFLICT, 'The obligation starts from another cursor than the group.', {
      expected: group.previousBoundary,
      actual: cursor,
    });
  }
  assertSameEvidence(obligation, group.expectedBoundary);
}

/** Whether a replayed dispatch settles this obligation. */
export function assertDispatchSettles(
  { obligation, origin }: ObligationWithOrigin,
  scope: OwnedScope,
  resolution: DispatchResolution,
): void {
  assertNotNewer(origin, scope);
  assertWorkspace(obligation, scope);
  const isMatch =
    obligation.operationClass === 'v3-dispatch' &&
    obligation.requiredAction === 'replay-operation-then-reconcile' &&
    obligation.operationIdentity === resolution.operationIdentity;
  if (!isMatch) {
    refuse(STORE_CODES.PERMIT_IDENTITY_CONFLICT, 'The obligation is not the replay of this dispatch.', {
      expected: obligation.operationIdentity,
      actual: resolution.operationIdentity,
    });
  }
  assertSameEvidence(obligation, resolution.resolvedBoundary);
}

/** Resolved once: what is resolved already must have been by equal evidence. */
export function assertSameEvidence(obligation: Obligation, evidence: Json): void {
  if (obligation.resolvedAt === null || isCanonicallyEqual(obligation.resolvedBoundary, evidence)) return;
  refuse(STORE_CODES.PERMIT_IDENTITY_CONFLICT, 'The obligation was resolved by other evidence.', {
    expected: obligation.resolvedBoundary,
    actual: evidence,
  });
}

function assertWorkspace(obligation: Obligation, scope: { readonly workspaceId: string }): void {
  if (obligation.workspaceId === scope.workspaceId) return;
  refuse(STORE_CODES.INACTIVE_WORKSPACE, 'The obligation belongs to another workspace.', {
    expected: scope.workspaceId,
    actual: obligation.workspaceId,
  });
}

function assertNotNewer(
  origin: { readonly coordinatorGeneration: number },
  scope: { readonly coordinatorGeneration: number },
): void {
  if (origin.coordinatorGeneration <= scope.coordinatorGeneration) return;
  refuse(STORE_CODES.STALE_GENERATION, 'The obligation comes from a newer generation.', {
    expected: `at most ${scope.coordinatorGeneration}`,
    actual: origin.coordinatorGeneration,
  });
}
