import type { CompletionGroup } from '../../../src/domain/completion-group';
import type { OwnerMode } from '../../../src/domain/coordinator-vocabulary';
import type { Json } from '../../../src/domain/json';
import type { Fence } from '../../../src/domain/permit';
import { isSame, refuseIf, type ModelObligation, type ModelPermit, type World } from './world';

export const MUTATIONS = ['push', 'v3-dispatch'];
export const PREFIX = 'SYNC_COORDINATOR_';
export const ms = (text: string): number => Date.parse(text);

/** What all calls on permits share: fences, windows, and how a permit ends. */
export class PermitRules {
  protected readonly world: World;
  constructor(world: World) {
    this.world = world;
  }

  find(permitId: string): ModelPermit {
    const permit = this.world.rows.permits.find((one) => one.permitId === permitId);
    refuseIf(permit === undefined, 'PERMIT_NOT_FOUND');
    return permit as ModelPermit; // just checked
  }

  fenced(fence: Fence): ModelPermit {
    const permit = this.find(fence.permitId);
    refuseIf(permit.serverInstanceId !== fence.serverInstanceId, 'PERMIT_SERVER_MISMATCH');
    refuseIf(permit.coordinatorGeneration !== fence.coordinatorGeneration, 'STALE_GENERATION');
    refuseIf(permit.workspaceId !== fence.workspaceId, 'INACTIVE_WORKSPACE');
    return permit;
  }

  move(permit: ModelPermit, state: ModelPermit['state']): ModelPermit {
    permit.state = state;
    permit.lastTransitionAt = this.world.now;
    permit.completedAt = ['released', 'abandoned-clean', 'abandoned-reconcile-required'].includes(state)
      ? this.world.now
      : null;
    return permit;
  }

  /** Ends it clean where nothing went out or nothing is left to do, else with an obligation. */
  abandon(permit: ModelPermit, errorCode: string): ModelPermit {
    const isClean = permit.state === 'issued-idle' || permit.operationClass === 'local-apply';
    const isRejected =
      permit.state === 'gateway-complete-awaiting-apply' && permit.upstreamDisposition === 'rejected';
    if (isRejected) this.settleRejected(permit);
    permit.errorCode = errorCode;
    if (isClean || isRejected) return this.move(permit, 'abandoned-clean');
    const isNamed = MUTATIONS.includes(permit.operationClass) && permit.operationIdentity !== null;
    const obligation = {
      workspaceId: permit.workspaceId,
      operationClass: permit.operationClass,
      operationIdentity: permit.operationIdentity,
      upstreamDisposition: permit.upstreamDisposition ?? 'unknown',
      lastCommittedCursor: permit.lastCommittedCursor,
      requiredAction: isNamed ? 'replay-operation-then-reconcile' : 'refetch-from-committed-cursor',
      stream: permit.stream,
    } as const;
    const coalesces =
      errorCode === 'WORKSPACE_SYNC_V3_APPLY_NOT_COMMITTED' ||
      errorCode === 'WORKSPACE_SYNC_V3_ATTACHMENT_HYDRATION_NOT_COMMITTED';
    const equal = this.world.open(permit.workspaceId).some((open) => {
      const {
        obligationId: _1,
        permitId: _2,
        createdAt: _3,
        resolvedAt: _4,
        resolvedBoundary: _5,
        ...what
      } = open;
      return isSame({ ...what }, { ...obligation }) && this.world.permitOf(open).errorCode === errorCode;
    });
    if (!coalesces || !equal) {
      this.world.rows.obligations.push({
        ...obligation,
        obligationId: this.world.newId(),
        permitId: permit.permitId,
        createdAt: this.world.now,
        resolvedAt: null,
        resolvedBoundary: null,
      });
    }
    return this.move(permit, 'abandoned-reconcile-required');
  }

  settleRejected(permit: ModelPermit): void {
    const { operationClass, operationIdentity, permitId } = permit;
    if (permit.state !== 'gateway-complete-awaiting-apply' || permit.upstreamDisposition !== 'rejected')
      return;
    if (!MUTATIONS.includes(operationClass) || operationIdentity === null) return;
    this.resolve(this.replays(permit.workspaceId, operationClass, operationIdentity), {
      version: 1,
      kind: 'rejected',
      operationIdentity,
      permitId,
    });
  }

  resolve(obligations: readonly ModelObligation[], evidence: Json): void {
    for (const obligation of obligations) {
      if (obligation.resolvedAt !== null) continue;
      obligation.resolvedAt = this.world.now;
      obligation.resolvedBoundary = evidence;
    }
  }

  refetches(workspaceId: string, operationClass: string, generation: number): ModelObligation[] {
    return this.world
      .open(workspaceId)
      .filter(
        (obligation) =>
          obligation.operationClass === operationClass &&
          obligation.requiredAction === 'refetch-from-committed-cursor' &&
          this.world.permitOf(obligation).coordinatorGeneration <= generation,
      );
  }

  group(group: CompletionGroup, isRight: (permit: ModelPermit) => boolean): ModelPermit[] {
    this.assertIds(group.permitIds);
    return group.permitIds.map((permitId) => {
      const permit = this.fenced({ ...group, permitId });
      refuseIf(permit.ownerMode !== group.ownerMode, 'PERMIT_IDENTITY_CONFLICT');
      refuseIf(!['pull', 'repair'].includes(permit.operationClass), 'PERMIT_STATE_CONFLICT');
      refuseIf(!isSame(permit.lastCommittedCursor, group.previousBoundary), 'PERMIT_STATE_CONFLICT');
      refuseIf(!isRight(permit), 'PERMIT_STATE_CONFLICT');
      return permit;
    });
  }

  assertIds(ids: readonly string[]): void {
    const isFine =
      ids.length > 0 && ids.every((id) => id !== '' && id === id.trim()) && new Set(ids).size === ids.length;
    refuseIf(!isFine, 'PERMIT_IDENTITY_CONFLICT');
  }

  assertSteady(workspaceId: string, generation: number, owner: OwnerMode): void {
    const { state } = this.world.rows;
    refuseIf((state?.coordinatorGeneration ?? 0) !== generation, 'STALE_GENERATION');
    refuseIf((state?.activeWorkspaceId ?? null) !== workspaceId, 'INACTIVE_WORKSPACE');
    refuseIf(state?.ownershipMode !== owner || state.transitionState !== 'idle', 'PERMITS_DISABLED');
  }

  assertEntry(permit: ModelPermit): void {
    this.assertSteady(permit.workspaceId, permit.coordinatorGeneration, permit.ownerMode);
    this.assertDeadline(permit);
  }

  assertWindow(permit: ModelPermit): void {
    const { state } = this.world.rows;
    refuseIf(this.world.isBlocked(permit.workspaceId), 'LOCAL_COMMIT_INVARIANT');
    refuseIf(state?.activeWorkspaceId !== permit.workspaceId, 'INACTIVE_WORKSPACE');
    refuseIf(state?.coordinatorGeneration !== permit.coordinatorGeneration, 'STALE_GENERATION');
    const isSteady = state?.ownershipMode === permit.ownerMode && state.transitionState === 'idle';
    const drained = permit.ownerMode === 'server' ? 'transitioning-to-browser' : 'transitioning-to-server';
    const isDraining =
      state?.transitionState === 'transferring-ownership' &&
      state.ownershipMode === drained &&
      (state.transferPhase === 'preparing' || state.transferPhase === 'draining');
    refuseIf(!isSteady && !isDraining, 'PERMITS_DISABLED');
  }

  apply(apply: () => unknown): unknown {
    const result = apply();
    refuseIf(result instanceof Promise, 'ASYNC_TRANSACTION');
    return result;
  }

  protected assertDeadline(permit: ModelPermit): void {
    refuseIf(!(ms(permit.deadlineAt) > ms(this.world.now)), 'PERMIT_EXPIRED');
  }

  protected replays(workspaceId: string, operationClass: string, identity: string): ModelObligation[] {
    return this.world
      .open(workspaceId)
      .filter(
        (obligation) =>
          obligation.operationClass === operationClass &&
          obligation.operationIdentity === identity &&
          obligation.requiredAction === 'replay-operation-then-reconcile',
      );
  }
}
