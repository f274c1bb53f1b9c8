import { assertCommitWindow, assertDeadlineAhead } from '../../../src/domain/admission';
import { assertDistinctIds, assertGroupMember, assertMay } from '../../../src/domain/completion-checks';
import type { CompletionGroup } from '../../../src/domain/completion-group';
import { STORE_CODES } from '../../../src/domain/error-codes';
import type { Fence, Permit } from '../../../src/domain/permit';
import { readAdmission } from '../coordinator/admission-row';
import { runSynchronously } from '../run-synchronously';
import type { StoreCall } from '../store-call';
import type { BlockedWorkspaces } from './blocked-workspaces';
import { movePermit, mustGetFenced } from './permit-rows';

/**
 * The local commit: from an accepted answer to applied rows. Entering says that an apply begins; completing says that
 * it is done. Both ask whether this owner may still write here; only entering asks for the deadline.
 */

export function enterLocalCommit(call: StoreCall, blocked: BlockedWorkspaces, fence: Fence): Permit {
  const permit = mustGetFenced(call, fence);
  if (permit.state === 'local-commit-entered') return permit;
  assertMay(permit, 'enter-local-commit', 'local-commit-entered');
  assertMayEnter(call, blocked, permit);
  return movePermit(call, permit, { to: 'local-commit-entered' });
}

export function completeLocalCommit(call: StoreCall, blocked: BlockedWorkspaces, fence: Fence): Permit {
  const permit = mustGetFenced(call, fence);
  if (permit.state === 'released') return permit;
  assertWindow(call, blocked, permit);
  assertMay(permit, 'complete-local-commit', 'released');
  return movePermit(call, permit, { to: 'released' });
}

export function enterLocalCommitGroup(
  call: StoreCall,
  blocked: BlockedWorkspaces,
  group: CompletionGroup,
): readonly Permit[] {
  const permits = mustGetGroup(call, group, 'local-commit-entered');
  for (const permit of permits) assertMayEnter(call, blocked, permit);
  return permits.map((permit) => movePermit(call, permit, { to: 'local-commit-entered' }));
}

/** Applies and releases in one transaction; a throw of `apply` undoes both. */
export function completeLocalCommitGroup(
  call: StoreCall,
  blocked: BlockedWorkspaces,
  group: CompletionGroup,
  apply: () => unknown,
): readonly Permit[] {
  const permits = mustGetGroup(call, group, 'released');
  for (const permit of permits) assertWindow(call, blocked, permit);
  runSynchronously(apply, STORE_CODES.ASYNC_TRANSACTION);
  return permits.map((permit) => movePermit(call, permit, { to: 'released' }));
}

/** The permits of a group, each fit to be moved there. */
export function mustGetGroup(
  call: StoreCall,
  group: CompletionGroup,
  to: 'local-commit-entered' | 'released',
): readonly Permit[] {
  assertDistinctIds(group.permitIds, 'permit ids');
  return group.permitIds.map((permitId) => {
    const permit = mustGetFenced(call, { ...group, permitId });
    assertGroupMember(permit, group, to);
    return permit;
  });
}

/** Whether this permit's answer may be applied now. */
export function assertMayEnter(call: StoreCall, blocked: BlockedWorkspaces, permit: Permit): void {
  assertWindow(call, blocked, permit);
  assertDeadlineAhead(permit.deadlineAt, call.nowMs);
}

function assertWindow(call: StoreCall, blocked: BlockedWorkspaces, permit: Permit): void {
  assertCommitWindow(readAdmission(call), permit, blocked.has(call, permit.workspaceId));
}
