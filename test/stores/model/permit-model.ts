import type { CompletionGroup, PushGroup } from '../../../src/domain/completion-group';
import type { OwnerMode } from '../../../src/domain/coordinator-vocabulary';
import type { Json } from '../../../src/domain/json';
import type {
  AbandonInput,
  Fence,
  IssueInput,
  OwnedFence,
  RenewInput,
  SettleInterruptedInput,
  TransitionInput,
} from '../../../src/domain/permit';
import {
  type World,
  isActive,
  isGiven,
  isSame,
  refuseIf,
  type ModelObligation,
  type ModelPermit,
} from './world';

const MUTATIONS = ['push', 'v3-dispatch'];
const PREFIX = 'SYNC_COORDINATOR_';
const ms = (text: string): number => Date.parse(text);

/** Permits, told again from their rules. */
export class PermitModel {
  readonly #world: World;
  constructor(world: World) {
    this.#world = world;
  }

  issue(input: IssueInput, owner: OwnerMode): ModelPermit {
    const world = this.#world;
    const isMutation = MUTATIONS.includes(input.operationClass);
    refuseIf(isGiven(input.operationIdentity) && !isMutation, 'PERMIT_IDENTITY_CONFLICT');
    const permitId = input.permitId ?? world.newId();
    const known = world.rows.permits.find((permit) => permit.permitId === permitId);
    if (known !== undefined) {
      const isEqual =
        known.workspaceId === input.workspaceId &&
        known.coordinatorGeneration === input.coordinatorGeneration &&
        known.serverInstanceId === input.serverInstanceId &&
        known.ownerMode === owner &&
        known.operationClass === input.operationClass &&
        known.stream === (input.stream ?? 'main') &&
        (!isGiven(input.operationIdentity) || known.operationIdentity === input.operationIdentity) &&
        isSame(known.lastCommittedCursor, input.lastCommittedCursor) &&
        ms(this.issuedDeadlines.get(permitId) ?? known.deadlineAt) === ms(input.deadlineAt);
      refuseIf(!isEqual, 'PERMIT_IDENTITY_CONFLICT');
      return known;
    }
    refuseIf(world.isBlocked(input.workspaceId), 'LOCAL_COMMIT_INVARIANT');
    refuseIf(!(ms(input.deadlineAt) > ms(world.now)), 'PERMIT_EXPIRED');
    this.assertSteady(input.workspaceId, input.coordinatorGeneration, owner);
    const permit: ModelPermit = {
      permitId,
      workspaceId: input.workspaceId,
      coordinatorGeneration: input.coordinatorGeneration,
      serverInstanceId: input.serverInstanceId,
      ownerMode: owner,
      operationClass: input.operationClass,
      operationIdentity: input.operationIdentity ?? null,
      lastCommittedCursor: input.lastCommittedCursor ?? null,
      state: 'issued-idle',
      upstreamDisposition: 'not-started',
      issuedAt: world.now,
      deadlineAt: new Date(input.deadlineAt).toISOString(),
      lastTransitionAt: world.now,
      completedAt: null,
      errorCode: null,
      holderId: input.holderId ?? null,
      stream: input.stream ?? 'main',
      settlementEvidence: null,
    };
    world.rows.permits.push(permit);
    return permit;
  }

  /** Deadlines asked for at issue, of permits that were renewed. */
  readonly issuedDeadlines = new Map<string, string>();

  renew(input: RenewInput): ModelPermit {
    const permit = this.fenced(input);
    const [now, wanted, deadline] = [ms(this.#world.now), ms(input.deadlineAt), ms(permit.deadlineAt)];
    const isPossible =
      isActive(permit) &&
      now <= deadline + 60_000 &&
      wanted > now &&
      wanted <= ms(permit.issuedAt) + 24 * 3_600_000;
    refuseIf(!isPossible, 'PERMIT_EXPIRED');
    if (wanted > deadline) {
      if (!this.issuedDeadlines.has(permit.permitId)) {
        this.issuedDeadlines.set(permit.permitId, permit.deadlineAt);
      }
      permit.deadlineAt = new Date(wanted).toISOString();
    }
    return permit;
  }

  transition(input: TransitionInput): ModelPermit {
    const permit = this.fenced(input);
    const { expectedState, nextState, upstreamDisposition: given, operationIdentity: identity } = input;
    const isStart = expectedState === 'issued-idle' && nextState === 'gateway-in-flight';
    const isEnd = expectedState === 'gateway-in-flight' && nextState === 'gateway-complete-awaiting-apply';
    refuseIf(!isStart && !isEnd, 'PERMIT_STATE_CONFLICT');
    refuseIf(permit.operationClass === 'local-apply', 'PERMIT_STATE_CONFLICT');
    refuseIf(isStart && isGiven(given) && given !== 'unknown', 'PERMIT_STATE_CONFLICT');
    refuseIf(isEnd && given === 'not-started', 'PERMIT_STATE_CONFLICT');
    if (permit.state === nextState) {
      refuseIf(isGiven(given) && given !== permit.upstreamDisposition, 'PERMIT_STATE_CONFLICT');
      refuseIf(isGiven(identity) && identity !== permit.operationIdentity, 'PERMIT_IDENTITY_CONFLICT');
      if (isStart) this.assertEntry(permit);
      return permit;
    }
    refuseIf(permit.state !== expectedState, 'PERMIT_STATE_CONFLICT');
    if (isStart) this.assertEntry(permit);
    if (isGiven(identity)) {
      const isMutation = MUTATIONS.includes(permit.operationClass);
      const isOther = permit.operationIdentity !== null && permit.operationIdentity !== identity;
      refuseIf(!isMutation || isOther, 'PERMIT_IDENTITY_CONFLICT');
      permit.operationIdentity = identity;
    }
    const isNamed = !MUTATIONS.includes(permit.operationClass) || permit.operationIdentity !== null;
    refuseIf(!isNamed, 'PERMIT_IDENTITY_CONFLICT');
    permit.upstreamDisposition = given ?? 'unknown';
    permit.errorCode = input.errorCode ?? null;
    return this.move(permit, nextState);
  }

  release(fence: Fence): ModelPermit {
    const permit = this.fenced(fence);
    if (permit.state === 'released') return permit;
    const isAnswered =
      permit.state === 'gateway-complete-awaiting-apply' &&
      ['handshake', 'bootstrap', 'push'].includes(permit.operationClass) &&
      permit.upstreamDisposition !== 'unknown';
    refuseIf(permit.state !== 'issued-idle' && !isAnswered, 'PERMIT_STATE_CONFLICT');
    this.settleRejected(permit);
    return this.move(permit, 'released');
  }

  abandonPermit(input: AbandonInput): ModelPermit {
    const permit = this.fenced(input);
    if (!isActive(permit)) return permit;
    const isFixed = permit.state === 'gateway-in-flight' || permit.state === 'local-commit-entered';
    refuseIf(isFixed, 'PERMIT_STATE_CONFLICT');
    return this.abandon(permit, input.errorCode ?? `${PREFIX}PERMIT_ABANDONED`);
  }

  acknowledge(input: OwnedFence): ModelPermit {
    const permit = this.fenced(input);
    refuseIf(permit.ownerMode !== input.ownerMode, 'PERMIT_IDENTITY_CONFLICT');
    const isRight =
      ['handshake', 'bootstrap', 'push'].includes(permit.operationClass) &&
      permit.state === 'gateway-complete-awaiting-apply' &&
      permit.upstreamDisposition === 'accepted';
    refuseIf(!isRight, 'PERMIT_STATE_CONFLICT');
    const { state } = this.#world.rows;
    const isCurrent =
      state?.coordinatorGeneration === permit.coordinatorGeneration &&
      state.activeWorkspaceId === permit.workspaceId &&
      state.ownershipMode === permit.ownerMode &&
      state.transitionState === 'idle';
    if (permit.operationClass !== 'push' && isCurrent) {
      const { operationClass, permitId } = permit;
      this.resolve(this.refetches(permit.workspaceId, operationClass, permit.coordinatorGeneration), {
        version: 1,
        kind: 'acknowledged',
        operationClass,
        permitId,
      });
    }
    return this.move(permit, 'released');
  }

  enterLocalCommit(fence: Fence): ModelPermit {
    const permit = this.fenced(fence);
    if (permit.state === 'local-commit-entered') return permit;
    refuseIf(!this.#mayEnter(permit), 'PERMIT_STATE_CONFLICT');
    this.assertWindow(permit);
    this.#assertDeadline(permit);
    return this.move(permit, 'local-commit-entered');
  }

  completeLocalCommit(fence: Fence): ModelPermit {
    const permit = this.fenced(fence);
    if (permit.state === 'released') return permit;
    this.assertWindow(permit);
    refuseIf(permit.state !== 'local-commit-entered', 'PERMIT_STATE_CONFLICT');
    return this.move(permit, 'released');
  }

  enterGroup(group: CompletionGroup): ModelPermit[] {
    const permits = this.group(group, (permit) => this.#mayEnter(permit));
    for (const permit of permits) {
      this.assertWindow(permit);
      this.#assertDeadline(permit);
    }
    return permits.map((permit) => this.move(permit, 'local-commit-entered'));
  }

  completeGroup(group: CompletionGroup, apply: () => unknown): ModelPermit[] {
    const permits = this.group(group, (permit) => permit.state === 'local-commit-entered');
    for (const permit of permits) this.assertWindow(permit);
    this.apply(apply);
    return permits.map((permit) => this.move(permit, 'released'));
  }

  completeDispatch(input: OwnedFence & { operationIdentity: string }, apply: () => unknown): unknown {
    const permit = this.fenced(input);
    refuseIf(permit.ownerMode !== input.ownerMode, 'PERMIT_IDENTITY_CONFLICT');
    refuseIf(permit.operationIdentity !== input.operationIdentity, 'PERMIT_IDENTITY_CONFLICT');
    refuseIf(permit.operationClass !== 'v3-dispatch', 'PERMIT_STATE_CONFLICT');
    refuseIf(!isAccepted(permit), 'PERMIT_STATE_CONFLICT');
    this.assertWindow(permit);
    this.#assertDeadline(permit);
    this.move(permit, 'local-commit-entered');
    const result = this.apply(apply);
    const { operationIdentity } = input;
    const evidence = { version: 1, kind: 'accepted-v3-dispatch', operationIdentity };
    this.resolve(this.#replays(permit.workspaceId, 'v3-dispatch', operationIdentity), evidence);
    this.move(permit, 'released');
    return result;
  }

  completePushes(group: PushGroup, apply: () => unknown): { result: unknown; permits: ModelPermit[] } {
    this.assertIds(group.permitIds);
    const { batchOperationIdentities: batch } = group.pushBoundary;
    const seen: string[] = [];
    const boundary: Json = { ...group.pushBoundary };
    const permits = group.permitIds.map((permitId) => {
      const permit = this.fenced({ ...group, permitId });
      refuseIf(permit.ownerMode !== group.ownerMode, 'PERMIT_IDENTITY_CONFLICT');
      refuseIf(permit.operationClass !== 'push', 'PERMIT_STATE_CONFLICT');
      const identity = permit.operationIdentity ?? '';
      const isOfBatch = batch.includes(identity) && !seen.includes(identity);
      refuseIf(!isOfBatch, 'PERMIT_IDENTITY_CONFLICT');
      seen.push(identity);
      refuseIf(!isSame(permit.lastCommittedCursor, boundary), 'PERMIT_IDENTITY_CONFLICT');
      refuseIf(!isAccepted(permit), 'PERMIT_STATE_CONFLICT');
      return permit;
    });
    for (const permit of permits) {
      this.assertWindow(permit);
      this.#assertDeadline(permit);
    }
    for (const permit of permits) this.move(permit, 'local-commit-entered');
    const result = this.apply(apply);
    for (const identity of seen) {
      const older = this.#replays(group.workspaceId, 'push', identity).filter((obligation) => {
        const origin = this.#world.permitOf(obligation);
        return (
          origin.coordinatorGeneration <= group.coordinatorGeneration && origin.operationIdentity === identity
        );
      });
      this.resolve(older, boundary);
    }
    for (const permit of permits) this.move(permit, 'released');
    return { result, permits };
  }

  settleInterrupted({ permitId, workspaceId, outcome, evidence }: SettleInterruptedInput): ModelPermit {
    const permit = this.find(permitId);
    refuseIf(permit.workspaceId !== workspaceId, 'INACTIVE_WORKSPACE');
    if (!isActive(permit)) return permit;
    refuseIf(permit.state !== 'local-commit-entered', 'PERMIT_STATE_CONFLICT');
    permit.settlementEvidence = evidence;
    return outcome === 'committed'
      ? this.move(permit, 'released')
      : this.abandon(permit, `${PREFIX}LOCAL_COMMIT_SETTLED`);
  }

  // What the methods above and the recovery share.

  find(permitId: string): ModelPermit {
    const permit = this.#world.rows.permits.find((one) => one.permitId === permitId);
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
    permit.lastTransitionAt = this.#world.now;
    permit.completedAt = ['released', 'abandoned-clean', 'abandoned-reconcile-required'].includes(state)
      ? this.#world.now
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
    const equal = this.#world.open(permit.workspaceId).some((open) => {
      const {
        obligationId: _1,
        permitId: _2,
        createdAt: _3,
        resolvedAt: _4,
        resolvedBoundary: _5,
        ...what
      } = open;
      return isSame({ ...what }, { ...obligation }) && this.#world.permitOf(open).errorCode === errorCode;
    });
    if (!coalesces || !equal) {
      this.#world.rows.obligations.push({
        ...obligation,
        obligationId: this.#world.newId(),
        permitId: permit.permitId,
        createdAt: this.#world.now,
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
    this.resolve(this.#replays(permit.workspaceId, operationClass, operationIdentity), {
      version: 1,
      kind: 'rejected',
      operationIdentity,
      permitId,
    });
  }

  resolve(obligations: readonly ModelObligation[], evidence: Json): void {
    for (const obligation of obligations) {
      if (obligation.resolvedAt !== null) continue;
      obligation.resolvedAt = this.#world.now;
      obligation.resolvedBoundary = evidence;
    }
  }

  refetches(workspaceId: string, operationClass: string, generation: number): ModelObligation[] {
    return this.#world
      .open(workspaceId)
      .filter(
        (obligation) =>
          obligation.operationClass === operationClass &&
          obligation.requiredAction === 'refetch-from-committed-cursor' &&
          this.#world.permitOf(obligation).coordinatorGeneration <= generation,
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
    const { state } = this.#world.rows;
    refuseIf((state?.coordinatorGeneration ?? 0) !== generation, 'STALE_GENERATION');
    refuseIf((state?.activeWorkspaceId ?? null) !== workspaceId, 'INACTIVE_WORKSPACE');
    refuseIf(state?.ownershipMode !== owner || state.transitionState !== 'idle', 'PERMITS_DISABLED');
  }

  assertEntry(permit: ModelPermit): void {
    this.assertSteady(permit.workspaceId, permit.coordinatorGeneration, permit.ownerMode);
    this.#assertDeadline(permit);
  }

  assertWindow(permit: ModelPermit): void {
    const { state } = this.#world.rows;
    refuseIf(this.#world.isBlocked(permit.workspaceId), 'LOCAL_COMMIT_INVARIANT');
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

  #mayEnter(permit: ModelPermit): boolean {
    if (permit.operationClass === 'local-apply') return permit.state === 'issued-idle';
    return ['pull', 'repair'].includes(permit.operationClass) && isAccepted(permit);
  }

  #assertDeadline(permit: ModelPermit): void {
    refuseIf(!(ms(permit.deadlineAt) > ms(this.#world.now)), 'PERMIT_EXPIRED');
  }

  #replays(workspaceId: string, operationClass: string, identity: string): ModelObligation[] {
    return this.#world
      .open(workspaceId)
      .filter(
        (obligation) =>
          obligation.operationClass === operationClass &&
          obligation.operationIdentity === identity &&
          obligation.requiredAction === 'replay-operation-then-reconcile',
      );
  }
}

export function isAccepted(permit: ModelPermit): boolean {
  return permit.state === 'gateway-complete-awaiting-apply' && permit.upstreamDisposition === 'accepted';
}
