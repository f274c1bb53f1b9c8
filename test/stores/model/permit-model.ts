import type { OwnerMode } from '../../../src/domain/coordinator-vocabulary';
import type {
  AbandonInput,
  Fence,
  IssueInput,
  OwnedFence,
  RenewInput,
  TransitionInput,
} from '../../../src/domain/permit';
import { MUTATIONS, PREFIX, PermitRules, ms } from './permit-rules';
import { isActive, isGiven, isSame, refuseIf, type ModelPermit } from './world';

/** Permits, told again from their rules. */
export class PermitModel extends PermitRules {
  issue(input: IssueInput, owner: OwnerMode): ModelPermit {
    const world = this.world;
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
    const [now, wanted, deadline] = [ms(this.world.now), ms(input.deadlineAt), ms(permit.deadlineAt)];
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
    const { state } = this.world.rows;
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
}

export function isAccepted(permit: ModelPermit): boolean {
  return permit.state === 'gateway-complete-awaiting-apply' && permit.upstreamDisposition === 'accepted';
}
