import type { CommitCursorInput } from '../../../src/domain/committed-cursor';
import type { CompletionGroup } from '../../../src/domain/completion-group';
import type { Json } from '../../../src/domain/json';
import type {
  AbandonForDrainInput,
  AbandonHolderInput,
  AdoptPermitsInput,
  DrainInspection,
  DrainScope,
  PermitSummary,
  RecoverExpiredInput,
  RecoverPriorInput,
} from '../../../src/domain/permit';
import type {
  ResolveDispatchInput,
  ResolveObligationsInput,
  ResolveRepairInput,
  SettleOvertakenInput,
} from '../../../src/domain/recovery-obligation';
import type { PermitModel } from './permit-model';
import { type World, isGiven, isSame, refuseIf, type ModelObligation, type ModelPermit } from './world';

const PREFIX = 'SYNC_COORDINATOR_';

/** Drains, recovery, obligations and cursors, told again from their rules. */
export class RecoveryModel {
  readonly #world: World;
  readonly #permits: PermitModel;
  constructor(world: World, permits: PermitModel) {
    this.#world = world;
    this.#permits = permits;
  }

  summarize(workspaceId: string): PermitSummary {
    const active = this.#world.active().filter((permit) => permit.workspaceId === workspaceId);
    return {
      active: active.length,
      byState: countStates(active),
      recoveryObligations: this.#world.open(workspaceId).length,
      localCommitInvariantViolation: this.#world.isBlocked(workspaceId),
    };
  }

  inspectDrain({ workspaceId, coordinatorGeneration, limit = 100 }: DrainScope): DrainInspection {
    refuseIf(!Number.isInteger(limit) || limit < 1 || limit > 500, 'LIMIT_INVALID');
    const active = this.#ofGeneration({ workspaceId, coordinatorGeneration });
    return {
      workspaceId,
      coordinatorGeneration,
      active: active.length,
      byState: countStates(active),
      permits: active.slice(0, limit),
      truncated: active.length > limit,
      cleanAbandonEligible: active.filter((permit) => permit.state === 'issued-idle').length,
      recoveryObligations: this.#world
        .open(workspaceId)
        .filter(
          (obligation) => this.#world.permitOf(obligation).coordinatorGeneration === coordinatorGeneration,
        ).length,
    };
  }

  abandonForDrain(input: AbandonForDrainInput) {
    const { limit = 100 } = input;
    refuseIf(!Number.isInteger(limit) || limit < 1 || limit > 500, 'LIMIT_INVALID');
    const eligible = this.#ofGeneration(input).filter((permit) => permit.state === 'issued-idle');
    const abandoned = eligible.slice(0, limit);
    for (const permit of abandoned) {
      this.#permits.abandon(permit, input.errorCode ?? `${PREFIX}PERMIT_DRAINED_NOT_STARTED`);
    }
    return {
      abandonedPermitIds: abandoned.map((permit) => permit.permitId),
      remainingEligible: eligible.length - abandoned.length,
    };
  }

  recoverExpired(input: RecoverExpiredInput) {
    return this.#abandonAll(
      this.#world
        .active()
        .filter(
          (permit) =>
            permit.workspaceId === input.workspaceId &&
            permit.serverInstanceId === input.currentServerInstanceId &&
            permit.state !== 'local-commit-entered' &&
            Date.parse(permit.deadlineAt) <= Date.parse(this.#world.now) &&
            input.excludePermitIds?.includes(permit.permitId) !== true,
        ),
      'PERMIT_EXPIRED',
    );
  }

  recoverPrior({ currentServerInstanceId, workspaceId }: RecoverPriorInput) {
    const prior = this.#world
      .active()
      .filter(
        (permit) =>
          permit.serverInstanceId !== currentServerInstanceId &&
          (!isGiven(workspaceId) || permit.workspaceId === workspaceId),
      );
    const pending = prior.filter((permit) => permit.state === 'local-commit-entered');
    for (const permit of pending) this.#world.blocking.add(permit.permitId);
    const rest = prior.filter((permit) => !pending.includes(permit));
    return { ...this.#abandonAll(rest, 'SERVER_RESTARTED'), localCommitPending: pending.length };
  }

  adopt({ currentServerInstanceId, holderIds }: AdoptPermitsInput) {
    const adopted = this.#world
      .active()
      .filter(
        (permit) =>
          permit.serverInstanceId !== currentServerInstanceId &&
          permit.state !== 'local-commit-entered' &&
          permit.holderId !== null &&
          holderIds.includes(permit.holderId),
      );
    for (const permit of adopted) permit.serverInstanceId = currentServerInstanceId;
    return { adopted: adopted.length };
  }

  abandonHolder({ holderId, currentServerInstanceId }: AbandonHolderInput) {
    return this.#abandonAll(
      this.#world
        .active()
        .filter(
          (permit) =>
            permit.holderId === holderId &&
            permit.serverInstanceId === currentServerInstanceId &&
            permit.state !== 'local-commit-entered',
        ),
      'HOLDER_GONE',
    );
  }

  listResolvable(group: CompletionGroup): ModelObligation[] {
    this.#assertShape(group);
    this.#permits.assertSteady(group.workspaceId, group.coordinatorGeneration, group.ownerMode);
    const permits = this.#entered(group);
    const [operationClass = '', ...others] = new Set(permits.map((permit) => permit.operationClass));
    if (others.length > 0) return [];
    return this.#permits
      .refetches(group.workspaceId, operationClass, group.coordinatorGeneration)
      .filter((obligation) => isSame(obligation.lastCommittedCursor, group.previousBoundary));
  }

  resolveRefetches(
    { completionGroup: group, obligationIds }: ResolveObligationsInput,
    commit: () => Json,
  ): ModelObligation[] {
    this.#assertShape(group);
    this.#permits.assertIds(group.permitIds);
    this.#permits.assertIds(obligationIds);
    this.#permits.assertSteady(group.workspaceId, group.coordinatorGeneration, group.ownerMode);
    const permits = this.#entered(group);
    const obligations = obligationIds.map((id) => {
      const obligation = this.#find(id);
      const origin = this.#world.permitOf(obligation);
      refuseIf(obligation.workspaceId !== group.workspaceId, 'INACTIVE_WORKSPACE');
      refuseIf(origin.coordinatorGeneration > group.coordinatorGeneration, 'STALE_GENERATION');
      refuseIf(obligation.requiredAction !== 'refetch-from-committed-cursor', 'PERMIT_STATE_CONFLICT');
      const isOfClass = permits.every((permit) => permit.operationClass === obligation.operationClass);
      refuseIf(!isOfClass, 'PERMIT_IDENTITY_CONFLICT');
      const startsThere =
        isSame(obligation.lastCommittedCursor, group.previousBoundary) &&
        isSame(origin.lastCommittedCursor, group.previousBoundary);
      refuseIf(!startsThere, 'PERMIT_STATE_CONFLICT');
      this.#assertEvidence(obligation, group.expectedBoundary);
      return obligation;
    });
    if (obligations.some((obligation) => obligation.resolvedAt === null)) {
      refuseIf(!isSame(commit(), group.expectedBoundary), 'PERMIT_STATE_CONFLICT');
      this.#permits.resolve(obligations, group.expectedBoundary);
    }
    return obligations;
  }

  resolveDispatches(input: ResolveDispatchInput): ModelObligation[] {
    this.#permits.assertSteady(input.workspaceId, input.coordinatorGeneration, input.ownerMode);
    this.#permits.assertIds(input.resolutions.map((resolution) => resolution.obligationId));
    const obligations = input.resolutions.map(({ obligationId, operationIdentity, resolvedBoundary }) => {
      const obligation = this.#find(obligationId);
      const origin = this.#world.permitOf(obligation);
      refuseIf(origin.coordinatorGeneration > input.coordinatorGeneration, 'STALE_GENERATION');
      refuseIf(obligation.workspaceId !== input.workspaceId, 'INACTIVE_WORKSPACE');
      const isReplay =
        obligation.operationClass === 'v3-dispatch' &&
        obligation.requiredAction === 'replay-operation-then-reconcile' &&
        obligation.operationIdentity === operationIdentity;
      refuseIf(!isReplay, 'PERMIT_IDENTITY_CONFLICT');
      this.#assertEvidence(obligation, resolvedBoundary);
      return { obligation, resolvedBoundary };
    });
    for (const { obligation, resolvedBoundary } of obligations) {
      this.#permits.resolve([obligation], resolvedBoundary);
    }
    return obligations.map(({ obligation }) => obligation);
  }

  inspectRepair(workspaceId: string) {
    const repairable = this.#world.open(workspaceId).filter(isRepairable);
    return {
      total: repairable.length,
      requiresV2PushReplay: repairable.some((obligation) => obligation.operationClass === 'push'),
    };
  }

  resolveByRepair(input: ResolveRepairInput) {
    const { workspaceId, coordinatorGeneration, repairId, stateSignatureSha256 } = input;
    this.#permits.assertSteady(workspaceId, coordinatorGeneration, input.ownerMode);
    const open = this.#world.open(workspaceId);
    const isBusy =
      this.#world.active().some((permit) => permit.workspaceId === workspaceId) ||
      open.some((obligation) => obligation.operationClass === 'v3-dispatch');
    refuseIf(isBusy, 'PERMIT_STATE_CONFLICT');
    const repaired = open.filter(
      (obligation) =>
        isRepairable(obligation) &&
        this.#world.permitOf(obligation).coordinatorGeneration <= coordinatorGeneration,
    );
    this.#permits.resolve(repaired, {
      version: 1,
      kind: 'authoritative-repair',
      repairId,
      stateSignatureSha256,
      coordinatorGeneration,
      completedAt: this.#world.now,
    });
    return { resolved: repaired.length, remaining: open.length - repaired.length };
  }

  settleOvertaken(input: SettleOvertakenInput) {
    const { workspaceId, coordinatorGeneration, stream } = input;
    this.#permits.assertSteady(workspaceId, coordinatorGeneration, input.ownerMode);
    const committedCursor = this.readCursor(workspaceId, stream);
    const overtaken = this.#permits
      .refetches(workspaceId, 'pull', coordinatorGeneration)
      .filter(
        (obligation) =>
          obligation.stream === stream && !isSame(obligation.lastCommittedCursor, committedCursor),
      );
    this.#permits.resolve(overtaken, { version: 1, kind: 'overtaken', committedCursor });
    return { resolved: overtaken.length };
  }

  readCursor(workspaceId: string, stream: string): Json {
    return this.#world.rows.cursors[`${workspaceId} ${stream}`] ?? null;
  }

  commitCursor({ workspaceId, stream, coordinatorGeneration, previous, next }: CommitCursorInput): void {
    const { state } = this.#world.rows;
    refuseIf((state?.coordinatorGeneration ?? 0) !== coordinatorGeneration, 'STALE_GENERATION');
    refuseIf(state?.activeWorkspaceId !== workspaceId, 'INACTIVE_WORKSPACE');
    refuseIf(!isSame(this.readCursor(workspaceId, stream), previous), 'CURSOR_CONFLICT');
    this.#world.rows.cursors[`${workspaceId} ${stream}`] = next;
  }

  #ofGeneration({ workspaceId, coordinatorGeneration }: DrainScope): ModelPermit[] {
    return this.#world
      .active()
      .filter(
        (permit) =>
          permit.workspaceId === workspaceId && permit.coordinatorGeneration === coordinatorGeneration,
      );
  }

  #abandonAll(permits: readonly ModelPermit[], code: string) {
    const ended = permits.map((permit) => this.#permits.abandon(permit, `${PREFIX}${code}`).state);
    return {
      clean: ended.filter((state) => state === 'abandoned-clean').length,
      reconcileRequired: ended.filter((state) => state === 'abandoned-reconcile-required').length,
    };
  }

  #entered(group: CompletionGroup): ModelPermit[] {
    return this.#permits.group(group, (permit) => permit.state === 'local-commit-entered');
  }

  #assertShape(group: CompletionGroup): void {
    refuseIf(group.permitIds.length === 0, 'COMPLETION_GROUP_INVALID');
  }

  #find(obligationId: string): ModelObligation {
    const found = this.#world.rows.obligations.find((one) => one.obligationId === obligationId);
    refuseIf(found === undefined, 'PERMIT_NOT_FOUND');
    return found as ModelObligation; // just checked
  }

  #assertEvidence(obligation: ModelObligation, evidence: Json): void {
    const isOther = obligation.resolvedAt !== null && !isSame(obligation.resolvedBoundary, evidence);
    refuseIf(isOther, 'PERMIT_IDENTITY_CONFLICT');
  }
}

function isRepairable({ operationClass, requiredAction }: ModelObligation): boolean {
  if (operationClass === 'push') return requiredAction === 'replay-operation-then-reconcile';
  const isFetched = operationClass === 'pull' || operationClass === 'repair';
  return isFetched && requiredAction === 'refetch-from-committed-cursor';
}

function countStates(permits: readonly ModelPermit[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { state } of permits) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
