import type { CompletionGroup, PushGroup } from '../../../src/domain/completion-group';
import type { OwnerMode } from '../../../src/domain/coordinator-vocabulary';
import type { Json } from '../../../src/domain/json';
import type { Fence, IssueInput, Permit } from '../../../src/domain/permit';
import { OPERATION_CLASSES } from '../../../src/domain/permit-vocabulary';
import { ApplyFailed, type Lockstep } from './lockstep';
import type { Picker } from './picker';
import type { ModelPermit } from './world';

/** One call, to the stores and to the model. */
export interface Pair {
  readonly call: () => unknown;
  readonly model: () => unknown;
}
export type Action = (lock: Lockstep, pick: Picker) => Pair;

export const WORKSPACES = ['w', 'w-2'] as const;
const CURSORS: readonly Json[] = [null, { c: 1 }, { c: 2 }];
const IDENTITIES = ['op-1', 'op-2'] as const;
export const BOUNDARIES = [
  { version: 1, projection: 'v2-push', batchOperationIdentities: ['op-1', 'op-2'] },
  { version: 1, projection: 'v2-push', batchOperationIdentities: ['op-1'] },
] as const;
const STREAMS = ['main', 'other'] as const;

export function activeWorkspace({ world }: Lockstep, pick: Picker): string {
  const active = world.rows.state?.activeWorkspaceId;
  return pick.oneIn(8) ? pick.of(WORKSPACES) : (active ?? 'w');
}

export function currentGeneration({ world }: Lockstep, pick: Picker): number {
  const generation = world.rows.state?.coordinatorGeneration ?? 0;
  return pick.oneIn(10) ? Math.max(0, generation - 1) : generation;
}

/** Who owns synchronisation now, or somebody. */
export function currentOwner({ world }: Lockstep, pick: Picker): OwnerMode {
  const mode = world.rows.state?.ownershipMode;
  const owner = mode === 'server' || mode === 'transitioning-to-browser' ? 'server' : 'browser-gateway';
  return pick.oneIn(8) ? pick.of(['browser-gateway', 'server']) : owner;
}

function somePermit(
  { world }: Lockstep,
  pick: Picker,
  states: readonly Permit['state'][],
): ModelPermit | undefined {
  const fitting = world.rows.permits.filter((permit) => states.includes(permit.state));
  return pick.oneIn(6)
    ? pick.from(world.rows.permits)
    : (pick.from(fitting) ?? pick.from(world.rows.permits));
}

function fenceOf(permit: ModelPermit | undefined, pick: Picker): Fence {
  const fence = {
    permitId: permit?.permitId ?? 'nobody',
    workspaceId: permit?.workspaceId ?? 'w',
    coordinatorGeneration: permit?.coordinatorGeneration ?? 1,
    serverInstanceId: permit?.serverInstanceId ?? 's-1',
  };
  if (!pick.oneIn(20)) return fence;
  return pick.of([
    { ...fence, serverInstanceId: 's-0' },
    { ...fence, coordinatorGeneration: fence.coordinatorGeneration + 1 },
    { ...fence, workspaceId: 'w-3' },
  ]);
}

function groupOf(lock: Lockstep, pick: Picker, state: Permit['state']): CompletionGroup {
  const first = somePermit(lock, pick, [state]);
  const fence = fenceOf(first, pick);
  const others = lock.world.rows.permits.filter(
    (permit) =>
      permit !== first &&
      permit.state === state &&
      permit.operationClass === first?.operationClass &&
      JSON.stringify(permit.lastCommittedCursor) === JSON.stringify(first.lastCommittedCursor),
  );
  const second = pick.oneIn(3) ? pick.from(others) : undefined;
  return {
    ...fence,
    permitIds: second === undefined ? [fence.permitId] : [fence.permitId, second.permitId],
    ownerMode: first?.ownerMode ?? 'browser-gateway',
    previousBoundary: first?.lastCommittedCursor ?? null,
    expectedBoundary: pick.of(CURSORS),
  };
}

function pushGroupOf(lock: Lockstep, pick: Picker): PushGroup {
  const state = 'gateway-complete-awaiting-apply';
  const isAnsweredPush = (permit: ModelPermit): boolean =>
    permit.operationClass === 'push' && permit.state === state && permit.upstreamDisposition === 'accepted';
  const pushes = lock.world.rows.permits.filter(isAnsweredPush);
  const first = pick.from(pushes) ?? somePermit(lock, pick, [state]);
  const fence = fenceOf(first, pick);
  const second = pick.oneIn(3) ? pick.from(pushes.filter((permit) => permit !== first)) : undefined;
  return {
    ...fence,
    permitIds: second === undefined ? [fence.permitId] : [fence.permitId, second.permitId],
    ownerMode: first?.ownerMode ?? 'browser-gateway',
    pushBoundary: pick.of(BOUNDARIES),
  };
}

/** What an apply does: write data, commit a cursor, resolve obligations, fail, or forget to be synchronous. */
function applyPair(lock: Lockstep, pick: Picker, group: CompletionGroup): Pair {
  const { workspaceId, coordinatorGeneration } = group;
  const version = { workspaceId, expectedCoordinatorGeneration: coordinatorGeneration };
  const kind = pick.of(['nothing', 'version', 'cursor', 'resolve', 'list', 'throw', 'promise']);
  switch (kind) {
    case 'nothing':
      return { call: () => null, model: () => null };
    case 'version':
      return {
        call: () => lock.stores.coordinator.advanceLocalDataVersion(version),
        model: () => lock.coordinator.advanceDataVersion(version),
      };
    case 'cursor': {
      const previous = pick.oneIn(3) ? group.previousBoundary : lock.recovery.readCursor(workspaceId, 'main');
      const input = { ...group, stream: 'main', previous, next: group.expectedBoundary };
      return {
        call: () => lock.stores.cursors.commitCursor(input),
        model: () => lock.recovery.commitCursor(input),
      };
    }
    case 'resolve': {
      const chosen = lock.world.rows.obligations.filter(() => pick.oneIn(2));
      const input = {
        completionGroup: group,
        obligationIds: chosen.map((obligation) => obligation.obligationId),
      };
      const committed = pick.oneIn(6) ? { c: 9 } : group.expectedBoundary;
      return {
        call: () => lock.stores.permits.resolveRecoveryObligations(input, () => committed),
        model: () => lock.recovery.resolveRefetches(input, () => committed),
      };
    }
    case 'list':
      return {
        call: () => lock.stores.permits.listResolvableRecoveryObligations(group),
        model: () => lock.recovery.listResolvable(group),
      };
    case 'throw': {
      const fail = (): never => {
        throw new ApplyFailed('the apply failed');
      };
      return { call: fail, model: fail };
    }
    case 'promise':
      return { call: () => Promise.resolve(1), model: () => Promise.resolve(1) };
  }
}

function issueInput(lock: Lockstep, pick: Picker): IssueInput {
  const operationClass = pick.of(OPERATION_CLASSES);
  const mayBeNamed = operationClass === 'push' || operationClass === 'v3-dispatch' || pick.oneIn(20);
  return {
    permitId: pick.oneIn(4) ? `p-${pick.number(6)}` : undefined,
    workspaceId: activeWorkspace(lock, pick),
    coordinatorGeneration: currentGeneration(lock, pick),
    serverInstanceId: lock.instanceId,
    operationClass,
    operationIdentity: mayBeNamed && !pick.oneIn(5) ? pick.of(IDENTITIES) : undefined,
    lastCommittedCursor: operationClass === 'push' ? pick.of(BOUNDARIES) : pick.of(CURSORS),
    deadlineAt: pick.oneIn(12) ? lock.clock.in(0) : lock.clock.in(1_000 * (1 + pick.number(120))),
    holderId: pick.of([null, 'tab-1', 'tab-2']),
    stream: pick.oneIn(4) ? 'other' : undefined,
  };
}

const answers = ['accepted', 'accepted', 'rejected', 'unknown', undefined, 'not-started'] as const;
const ABANDON_CODES = [undefined, 'WORKSPACE_SYNC_V3_APPLY_NOT_COMMITTED', 'X'] as const;

export const PERMIT_ACTIONS: Readonly<Record<string, Action>> = {
  issue: (lock, pick) => {
    const input = issueInput(lock, pick);
    const owner = currentOwner(lock, pick);
    return {
      call: () =>
        owner === 'server' ? lock.stores.permits.issueServer(input) : lock.stores.permits.issue(input),
      model: () => lock.permits.issue(input, owner),
    };
  },
  issueAgain: (lock, pick) => {
    const known = pick.from(lock.world.rows.permits);
    if (known === undefined) return issue(lock, pick);
    const deadlineAt = lock.permits.issuedDeadlines.get(known.permitId) ?? known.deadlineAt;
    const input = { ...known, deadlineAt, operationIdentity: pick.oneIn(2) ? null : known.operationIdentity };
    const isServer = known.ownerMode === 'server';
    return {
      call: () => (isServer ? lock.stores.permits.issueServer(input) : lock.stores.permits.issue(input)),
      model: () => lock.permits.issue(input, known.ownerMode),
    };
  },
  start: (lock, pick) => {
    const input = {
      ...fenceOf(somePermit(lock, pick, ['issued-idle']), pick),
      expectedState: 'issued-idle',
      nextState: pick.oneIn(25) ? 'local-commit-entered' : 'gateway-in-flight',
      operationIdentity: pick.oneIn(4) ? pick.of(IDENTITIES) : undefined,
      upstreamDisposition: pick.oneIn(12) ? pick.of(['unknown', 'accepted']) : undefined,
    } as const;
    return {
      call: () => lock.stores.permits.transition(input),
      model: () => lock.permits.transition(input),
    };
  },
  answer: (lock, pick) => {
    const input = {
      ...fenceOf(somePermit(lock, pick, ['gateway-in-flight']), pick),
      expectedState: 'gateway-in-flight',
      nextState: 'gateway-complete-awaiting-apply',
      upstreamDisposition: pick.of(answers),
      operationIdentity: pick.oneIn(15) ? pick.of(IDENTITIES) : undefined,
      errorCode: pick.oneIn(5) ? 'E' : undefined,
    } as const;
    return {
      call: () => lock.stores.permits.transition(input),
      model: () => lock.permits.transition(input),
    };
  },
  release: (lock, pick) => {
    const fence = fenceOf(somePermit(lock, pick, ['issued-idle', 'gateway-complete-awaiting-apply']), pick);
    return { call: () => lock.stores.permits.release(fence), model: () => lock.permits.release(fence) };
  },
  abandon: (lock, pick) => {
    const fence = fenceOf(somePermit(lock, pick, ['gateway-complete-awaiting-apply']), pick);
    const input = { ...fence, errorCode: pick.of(ABANDON_CODES) };
    return {
      call: () => lock.stores.permits.abandonPermit(input),
      model: () => lock.permits.abandonPermit(input),
    };
  },
  acknowledge: (lock, pick) => {
    const permit = somePermit(lock, pick, ['gateway-complete-awaiting-apply']);
    const input = { ...fenceOf(permit, pick), ownerMode: permit?.ownerMode ?? 'server' };
    return {
      call: () => lock.stores.permits.acknowledgeNonApplyingCompletion(input),
      model: () => lock.permits.acknowledge(input),
    };
  },
  enter: (lock, pick) => {
    const fence = fenceOf(somePermit(lock, pick, ['gateway-complete-awaiting-apply', 'issued-idle']), pick);
    return {
      call: () => lock.stores.permits.enterLocalCommit(fence),
      model: () => lock.permits.enterLocalCommit(fence),
    };
  },
  complete: (lock, pick) => {
    const fence = fenceOf(somePermit(lock, pick, ['local-commit-entered']), pick);
    return {
      call: () => lock.stores.permits.completeLocalCommit(fence),
      model: () => lock.permits.completeLocalCommit(fence),
    };
  },
  enterGroup: (lock, pick) => {
    const group = groupOf(lock, pick, 'gateway-complete-awaiting-apply');
    return {
      call: () => lock.stores.permits.enterLocalCommitGroup(group),
      model: () => lock.permits.enterGroup(group),
    };
  },
  completeGroup: (lock, pick) => {
    const group = groupOf(lock, pick, 'local-commit-entered');
    const apply = applyPair(lock, pick, group);
    return {
      call: () => lock.stores.permits.completeLocalCommitGroup(group, apply.call),
      model: () => lock.permits.completeGroup(group, apply.model),
    };
  },
  completeDispatch: (lock, pick) => {
    const answered = lock.world.rows.permits.filter(
      (permit) =>
        permit.operationClass === 'v3-dispatch' && permit.state === 'gateway-complete-awaiting-apply',
    );
    const permit = pick.from(answered) ?? pick.from(lock.world.rows.permits);
    const input = {
      ...fenceOf(permit, pick),
      ownerMode: permit?.ownerMode ?? 'server',
      operationIdentity: permit?.operationIdentity ?? 'op-1',
    };
    const group = { ...input, permitIds: [], previousBoundary: null, expectedBoundary: null };
    const apply = applyPair(lock, pick, group);
    return {
      call: () => lock.stores.permits.completeAcceptedV3Dispatch(input, apply.call),
      model: () => lock.permits.completeDispatch(input, apply.model),
    };
  },
  completePushes: (lock, pick) => {
    const group = pushGroupOf(lock, pick);
    const apply = applyPair(lock, pick, { ...group, previousBoundary: null, expectedBoundary: null });
    return {
      call: () => lock.stores.permits.completeAcceptedPushEchoGroup(group, apply.call),
      model: () => lock.permits.completePushes(group, apply.model).result,
    };
  },
  completePushWithoutEcho: (lock, pick) => {
    const { permitIds, ...group } = pushGroupOf(lock, pick);
    const single = { ...group, permitIds: permitIds.slice(0, 1) };
    return {
      call: () => lock.stores.permits.completeAcceptedPushWithoutEcho(single),
      model: () => lock.permits.completePushes(single, () => null).permits[0],
    };
  },
  renew: (lock, pick) => {
    const permit = somePermit(lock, pick, ['issued-idle', 'gateway-in-flight']);
    const input = { ...fenceOf(permit, pick), deadlineAt: lock.clock.in(pick.number(4) * 40_000) };
    return { call: () => lock.stores.permits.renew(input), model: () => lock.permits.renew(input) };
  },
  settleInterrupted: (lock, pick) => {
    const permit = somePermit(lock, pick, ['local-commit-entered']);
    const input = {
      permitId: permit?.permitId ?? 'nobody',
      workspaceId: permit?.workspaceId ?? 'w',
      outcome: pick.of(['committed', 'not-committed']),
      evidence: { seen: pick.number(3) },
    };
    return {
      call: () => lock.stores.permits.settleInterruptedLocalCommit(input),
      model: () => lock.permits.settleInterrupted(input),
    };
  },
  commitCursor: (lock, pick) => {
    const [workspaceId, stream] = [activeWorkspace(lock, pick), pick.of(STREAMS)];
    const input = {
      workspaceId,
      stream,
      coordinatorGeneration: currentGeneration(lock, pick),
      previous: pick.oneIn(4) ? { c: 9 } : lock.recovery.readCursor(workspaceId, stream),
      next: pick.of(CURSORS),
    };
    return {
      call: () => lock.stores.cursors.commitCursor(input),
      model: () => lock.recovery.commitCursor(input),
    };
  },
};

const issue: Action = (lock, pick) => (PERMIT_ACTIONS['issue'] as Action)(lock, pick); // it is there, above

/** The functions of this file that make calls, for a test that looks for calls in their text. */
export const HELPERS: readonly unknown[] = [applyPair];
