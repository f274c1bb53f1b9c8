import {
  assertDistinctIds,
  assertMay,
  assertOwner,
  assertPushMember,
  parsePushBoundary,
  toBoundaryJson,
} from '../../../src/domain/completion-checks';
import type { PushBoundary, PushGroup } from '../../../src/domain/completion-group';
import { STORE_CODES } from '../../../src/domain/error-codes';
import type { OwnedFence, Permit } from '../../../src/domain/permit';
import { refuse } from '../../../src/domain/refuse';
import { runSynchronously } from '../run-synchronously';
import type { StoreCall } from '../store-call';
import type { BlockedWorkspaces } from './blocked-workspaces';
import { assertMayEnter } from './local-commit';
import { movePermit, mustGetFenced } from './permit-rows';
import { settleReplays, settleReplaysUpTo } from './settle-replays';

/** Accepted mutations: entered, applied, settled and released in one transaction. */

export interface DispatchCompletion extends OwnedFence {
  readonly operationIdentity: string;
}

export function completeAcceptedDispatch<T>(
  call: StoreCall,
  blocked: BlockedWorkspaces,
  input: DispatchCompletion,
  apply: () => T,
): T {
  const { operationIdentity, ownerMode } = input;
  const permit = mustGetFenced(call, input);
  assertOwner(permit, ownerMode);
  if (permit.operationIdentity !== operationIdentity) {
    refuse(STORE_CODES.PERMIT_IDENTITY_CONFLICT, 'The permit stands for another operation.', {
      expected: permit.operationIdentity,
      actual: operationIdentity,
    });
  }
  assertMay(permit, 'complete-dispatch', 'local-commit-entered');
  assertMayEnter(call, blocked, permit);
  const { result } = applyBetween(call, [permit], apply, () => {
    const evidence = { version: 1, kind: 'accepted-v3-dispatch', operationIdentity };
    const { workspaceId, operationClass } = permit;
    settleReplays(call, { workspaceId, operationClass, operationIdentity }, evidence);
  });
  return result;
}

/** A push group whose every check has passed, copied: what a callback does to its input later changes nothing. */
interface CheckedPushGroup {
  readonly permits: readonly Permit[];
  readonly identities: readonly string[];
  readonly boundary: PushBoundary;
  readonly workspaceId: string;
  readonly coordinatorGeneration: number;
}

export function completeAcceptedPushEchoGroup<T>(
  call: StoreCall,
  blocked: BlockedWorkspaces,
  group: PushGroup,
  apply: () => T,
): T {
  return completePushes(call, mustGetPushGroup(call, blocked, group), apply).result;
}

export function completeAcceptedPushWithoutEcho(
  call: StoreCall,
  blocked: BlockedWorkspaces,
  group: PushGroup,
): Permit {
  const checked = mustGetPushGroup(call, blocked, group);
  const { released } = completePushes(call, checked, () => undefined);
  const [permit] = released;
  if (permit !== undefined && released.length === 1) return permit;
  return refuse(STORE_CODES.PERMIT_IDENTITY_CONFLICT, 'Without an echo exactly one push can be completed.', {
    expected: 1,
    actual: released.length,
  });
}

function mustGetPushGroup(call: StoreCall, blocked: BlockedWorkspaces, group: PushGroup): CheckedPushGroup {
  const { workspaceId, coordinatorGeneration, ownerMode } = group;
  assertDistinctIds(group.permitIds, 'permit ids');
  const boundary = parsePushBoundary(group.pushBoundary);
  const seen = new Set<string>();
  const permits = group.permitIds.map((permitId) => {
    const permit = mustGetFenced(call, { ...group, permitId });
    assertPushMember(permit, ownerMode, boundary, seen);
    return permit;
  });
  for (const permit of permits) assertMayEnter(call, blocked, permit);
  return { permits, identities: [...seen], boundary, workspaceId, coordinatorGeneration };
}

function completePushes<T>(call: StoreCall, group: CheckedPushGroup, apply: () => T) {
  const { workspaceId, coordinatorGeneration, boundary } = group;
  return applyBetween(call, group.permits, apply, () => {
    for (const operationIdentity of group.identities) {
      const replay = { workspaceId, operationClass: 'push', operationIdentity } as const;
      settleReplaysUpTo(call, replay, coordinatorGeneration, toBoundaryJson(boundary));
    }
  });
}

/** Enters, applies, settles what the apply has made good, and releases. */
function applyBetween<T>(
  call: StoreCall,
  permits: readonly Permit[],
  apply: () => T,
  settle: () => void,
): { readonly result: T; readonly released: readonly Permit[] } {
  const entered = permits.map((permit) => movePermit(call, permit, { to: 'local-commit-entered' }));
  const result = runSynchronously(apply, STORE_CODES.ASYNC_TRANSACTION);
  settle();
  return { result, released: entered.map((permit) => movePermit(call, permit, { to: 'released' })) };
}
