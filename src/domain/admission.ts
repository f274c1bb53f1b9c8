import type { CoordinatorState } from './coordinator-state';
import type { OwnerMode } from './coordinator-vocabulary';
import { STORE_CODES } from './error-codes';
import { findInstantMs } from './instant';
import type { Permit } from './permit';
import { refuse } from './refuse';
import { TRANSFERS } from './transfer-machine';

/** What the coordinator says that decides whether work may start or be applied. */
export type Admission = Pick<
  CoordinatorState,
  | 'activeWorkspaceId'
  | 'coordinatorGeneration'
  | 'ownershipMode'
  | 'transitionState'
  | 'transferTargetMode'
  | 'transferPhase'
>;

/** Under which workspace, generation and owner work was, or wants to be, admitted. */
export type Admitted = Pick<Permit, 'workspaceId' | 'coordinatorGeneration' | 'ownerMode'>;

export function isSteady(admission: Admission, ownerMode: OwnerMode): boolean {
  return admission.transitionState === 'idle' && admission.ownershipMode === ownerMode;
}

/** The fence of steady state: the generation, the active workspace, and that owner with nothing in transition. */
export function assertSteadyState(admission: Admission, work: Admitted): void {
  assertGeneration(admission, work);
  assertActiveWorkspace(admission, work);
  if (!isSteady(admission, work.ownerMode)) refuseDisabled(admission, work);
}

/** Whether a request may go out under this permit now. */
export function assertEntryOpen(admission: Admission, permit: Permit, nowMs: number): void {
  assertSteadyState(admission, permit);
  assertDeadlineAhead(permit.deadlineAt, nowMs);
}

/**
 * Whether an answer may be applied under this permit now: in steady state, or while its owner is being drained, when
 * what is under way may still land.
 */
export function assertCommitWindow(admission: Admission, permit: Admitted, isBlocked: boolean): void {
  if (isBlocked) {
    refuse(
      STORE_CODES.LOCAL_COMMIT_INVARIANT,
      `Workspace "${permit.workspaceId}" has an unsettled local commit of an earlier server instance.`,
      { expected: 'settled local commits', actual: permit.workspaceId },
    );
  }
  assertActiveWorkspace(admission, permit);
  assertGeneration(admission, permit);
  if (!isSteady(admission, permit.ownerMode) && !isDraining(admission, permit.ownerMode)) {
    refuseDisabled(admission, permit);
  }
}

/** Returns the deadline's instant. A deadline equal to now has passed. */
export function assertDeadlineAhead(deadlineAt: string, nowMs: number): number {
  const deadlineMs = findInstantMs(deadlineAt);
  if (deadlineMs !== undefined && deadlineMs > nowMs) return deadlineMs;
  return refuse(STORE_CODES.PERMIT_EXPIRED, 'The deadline has passed or cannot be read.', {
    expected: `an instant after ${new Date(nowMs).toISOString()}`,
    actual: deadlineAt,
  });
}

function isDraining(admission: Admission, source: OwnerMode): boolean {
  return (
    admission.transitionState === 'transferring-ownership' &&
    admission.transferTargetMode !== null &&
    admission.ownershipMode === TRANSFERS[admission.transferTargetMode].ownershipMode &&
    TRANSFERS[admission.transferTargetMode].sourceMode === source &&
    (admission.transferPhase === 'preparing' || admission.transferPhase === 'draining')
  );
}

function assertGeneration(admission: Admission, work: Admitted): void {
  if (admission.coordinatorGeneration === work.coordinatorGeneration) return;
  refuse(STORE_CODES.STALE_GENERATION, 'The coordinator has moved to another generation.', {
    expected: admission.coordinatorGeneration,
    actual: work.coordinatorGeneration,
  });
}

function assertActiveWorkspace(admission: Admission, work: Admitted): void {
  if (admission.activeWorkspaceId === work.workspaceId) return;
  refuse(STORE_CODES.INACTIVE_WORKSPACE, `Workspace "${work.workspaceId}" is not active.`, {
    expected: admission.activeWorkspaceId,
    actual: work.workspaceId,
  });
}

function refuseDisabled(admission: Admission, work: Admitted): never {
  return refuse(STORE_CODES.PERMITS_DISABLED, `Permits of owner "${work.ownerMode}" are disabled now.`, {
    expected: `${work.ownerMode}, idle`,
    actual: `${admission.ownershipMode}, ${admission.transitionState}`,
  });
}
