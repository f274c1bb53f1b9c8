import type { IssueInput } from '../../../src/domain/permit';
import { OPERATION_CLASSES } from '../../../src/domain/permit-vocabulary';
import {
  BOUNDARIES,
  CURSORS,
  IDENTITIES,
  STREAMS,
  activeWorkspace,
  applyPair,
  currentGeneration,
  currentOwner,
  fenceOf,
  groupOf,
  pushGroupOf,
  somePermit,
  type Action,
} from './choices';
import type { Lockstep } from './lockstep';
import type { Picker } from './picker';

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
