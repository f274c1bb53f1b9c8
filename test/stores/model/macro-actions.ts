import type { CompletionGroup } from '../../../src/domain/completion-group';
import type { OwnerMode } from '../../../src/domain/coordinator-vocabulary';
import { MUTATION_CLASSES, NON_APPLYING_CLASSES } from '../../../src/domain/permit-vocabulary';
import type { ResolveObligationsInput } from '../../../src/domain/recovery-obligation';
import { REQUESTED_BY, envelope } from '../support/store-setup';
import type { Lockstep } from './lockstep';
import { BOUNDARIES, type Pair } from './choices';
import type { Picker } from './picker';

/**
 * Several calls in a row that lead somewhere a chance sequence seldom does. Each is made when its turn comes, from what
 * the ones before it left.
 */
export type Macro = (lock: Lockstep, pick: Picker) => readonly (() => Pair)[];

/** A permit of this class, answered, of the workspace, generation and owner that hold. */
function answer(
  lock: Lockstep,
  pick: Picker,
  operationClass: (typeof CLASSES)[number],
  permitId = `m-${lock.world.rows.permits.length}`,
): readonly (() => Pair)[] {
  const { state } = lock.world.rows;
  const ownerMode: OwnerMode = state?.ownershipMode === 'server' ? 'server' : 'browser-gateway';
  const isMutation = operationClass === 'push' || operationClass === 'v3-dispatch';
  const fence = {
    permitId,
    workspaceId: state?.activeWorkspaceId ?? 'w',
    coordinatorGeneration: state?.coordinatorGeneration ?? 0,
    serverInstanceId: lock.instanceId,
  };
  const input = {
    ...fence,
    operationClass,
    operationIdentity: isMutation ? pick.of(['op-1', 'op-2']) : undefined,
    lastCommittedCursor: operationClass === 'push' ? pick.of(BOUNDARIES) : null,
    deadlineAt: lock.clock.in(90_000),
    holderId: pick.of([null, 'tab-1']),
  };
  const upstreamDisposition = pick.of(['accepted', 'accepted', 'accepted', 'rejected', 'unknown']);
  const start = { ...fence, expectedState: 'issued-idle', nextState: 'gateway-in-flight' } as const;
  const end = {
    ...fence,
    expectedState: 'gateway-in-flight',
    nextState: 'gateway-complete-awaiting-apply',
    upstreamDisposition,
  } as const;
  return [
    () => ({
      call: () =>
        ownerMode === 'server' ? lock.stores.permits.issueServer(input) : lock.stores.permits.issue(input),
      model: () => lock.permits.issue(input, ownerMode),
    }),
    () => ({
      call: () => lock.stores.permits.transition(start),
      model: () => lock.permits.transition(start),
    }),
    () => ({
      call: () => lock.stores.permits.transition(end),
      model: () => lock.permits.transition(end),
    }),
  ];
}

/** An apply that fails once and is made good: an obligation, and the fetch that resolves it. */
function refetch(lock: Lockstep, pick: Picker): readonly (() => Pair)[] {
  const { state, permits } = lock.world.rows;
  const operationClass = pick.of(['pull', 'repair']);
  const [failed, good] = [`f-${permits.length}`, `g-${permits.length}`];
  const fence = {
    workspaceId: state?.activeWorkspaceId ?? 'w',
    coordinatorGeneration: state?.coordinatorGeneration ?? 0,
    serverInstanceId: lock.instanceId,
  };
  const group: CompletionGroup = {
    ...fence,
    permitIds: [good],
    ownerMode: state?.ownershipMode === 'server' ? 'server' : 'browser-gateway',
    previousBoundary: null,
    expectedBoundary: { page: 1 },
  };
  const resolution = (): ResolveObligationsInput => ({
    completionGroup: group,
    obligationIds: lock.world.rows.obligations
      .filter((obligation) => obligation.permitId === failed)
      .map((obligation) => obligation.obligationId),
  });
  return [
    ...answer(lock, pick, operationClass, failed),
    () => ({
      call: () => lock.stores.permits.abandonPermit({ ...fence, permitId: failed }),
      model: () => lock.permits.abandonPermit({ ...fence, permitId: failed }),
    }),
    ...answer(lock, pick, operationClass, good),
    () => ({
      call: () => lock.stores.permits.enterLocalCommitGroup(group),
      model: () => lock.permits.enterGroup(group),
    }),
    () => ({
      call: () =>
        lock.stores.permits.completeLocalCommitGroup(group, () => {
          lock.stores.permits.listResolvableRecoveryObligations(group);
          lock.stores.permits.resolveRecoveryObligations(resolution(), () => group.expectedBoundary);
        }),
      model: () =>
        lock.permits.completeGroup(group, () => {
          lock.recovery.listResolvable(group);
          lock.recovery.resolveRefetches(resolution(), () => group.expectedBoundary);
        }),
    }),
  ];
}

const CLASSES = ['pull', 'repair', ...NON_APPLYING_CLASSES, ...MUTATION_CLASSES] as const;

/** A transfer to the other owner as far as `steps` leads: 1 begun, 2 draining, 3 raised, 4 the target, 5 committing,
 * 6 completed. */
function transfer(lock: Lockstep, steps: number): readonly (() => Pair)[] {
  const { state, commands } = lock.world.rows;
  const targetMode = state?.ownershipMode === 'server' ? 'browser-gateway' : 'server';
  const workspaceId = state?.activeWorkspaceId ?? 'w';
  const expectedGeneration = state?.coordinatorGeneration ?? 0;
  const commandId = `t-${commands.length}`;
  const command = envelope({
    commandId,
    workspaceId,
    expectedCoordinatorGeneration: expectedGeneration,
    type: 'TransferOwnership',
    args: { targetMode },
  });
  const begin = {
    commandId,
    expectedGeneration,
    workspaceId,
    targetMode,
    version: 1,
    requestedBy: REQUESTED_BY,
  } as const;
  const middle = targetMode === 'server' ? 'starting-target' : 'stopping-source';
  const advance = (expectedPhase: 'preparing' | 'generation-advanced' | typeof middle) => (): Pair => {
    const next = { preparing: 'draining', 'generation-advanced': middle, [middle]: 'committing' } as const;
    const nextPhase = next[expectedPhase as 'preparing']; // the table has all three
    const input = { commandId, expectedPhase, nextPhase };
    return {
      call: () => lock.stores.coordinator.advanceOwnershipTransfer(input),
      model: () => lock.coordinator.advanceTransfer(input),
    };
  };
  const raise = { commandId, expectedSourceGeneration: expectedGeneration };
  return [
    () => ({
      call: () => lock.stores.coordinator.acceptCommand(command),
      model: () => lock.coordinator.accept(command),
    }),
    () => ({
      call: () => lock.stores.coordinator.beginOwnershipTransfer(begin),
      model: () => lock.coordinator.beginTransfer(begin),
    }),
    advance('preparing'),
    () => ({
      call: () => lock.stores.coordinator.advanceOwnershipTransferGeneration(raise),
      model: () => lock.coordinator.advanceTransferGeneration(commandId, expectedGeneration),
    }),
    advance('generation-advanced'),
    advance(middle),
    () => ({
      call: () => lock.stores.coordinator.completeOwnershipTransfer({ commandId, targetMode }),
      model: () => lock.coordinator.completeTransfer({ commandId, targetMode }),
    }),
  ].slice(0, 1 + steps);
}

/** Ends whatever is active, as if its writer had died, so that a transfer can get past the drain. */
function drain(lock: Lockstep): readonly (() => Pair)[] {
  const input = { currentServerInstanceId: 'nobody' };
  return [
    () => ({
      call: () => lock.stores.permits.recoverPriorServerPermits(input),
      model: () => lock.recovery.recoverPrior(input),
    }),
  ];
}

/** A switch to the other workspace, as far as `steps` leads: 1 begun, 2 its command running, 3 completed. */
function switchWorkspace(lock: Lockstep, steps: number): readonly (() => Pair)[] {
  const { state, commands } = lock.world.rows;
  const activeWorkspaceId = state?.activeWorkspaceId ?? null;
  const targetWorkspaceId = activeWorkspaceId === 'w' ? 'w-2' : 'w';
  const expectedGeneration = state?.coordinatorGeneration ?? 0;
  const commandId = `s-${commands.length}`;
  const command = envelope({
    commandId,
    workspaceId: activeWorkspaceId,
    expectedCoordinatorGeneration: expectedGeneration,
    type: 'SwitchWorkspace',
  });
  const begin = {
    commandId,
    expectedGeneration,
    expectedActiveWorkspaceId: activeWorkspaceId,
    targetWorkspaceId,
    requestedBy: REQUESTED_BY,
  };
  return [
    () => ({
      call: () => lock.stores.coordinator.acceptCommand(command),
      model: () => lock.coordinator.accept(command),
    }),
    () => ({
      call: () => lock.stores.coordinator.beginWorkspaceSwitch(begin),
      model: () => lock.coordinator.beginSwitch(begin),
    }),
    () => ({
      call: () => lock.stores.coordinator.markCommandRunning(commandId),
      model: () => lock.coordinator.markRunning(commandId),
    }),
    () => ({
      call: () => lock.stores.coordinator.completeWorkspaceSwitch({ commandId, targetWorkspaceId }),
      model: () => lock.coordinator.completeSwitch({ commandId, targetWorkspaceId }),
    }),
  ].slice(0, 1 + steps);
}

export const MACROS: Readonly<Record<string, Macro>> = {
  answerSomething: (lock, pick) => answer(lock, pick, pick.of(CLASSES)),
  answerPush: (lock, pick) => answer(lock, pick, 'push'),
  answerDispatch: (lock, pick) => answer(lock, pick, 'v3-dispatch'),
  refetchAfterFailure: (lock, pick) => refetch(lock, pick),
  switchSomeWay: (lock, pick) => switchWorkspace(lock, 3 - pick.number(3)),
  transferSomeWay: (lock, pick) => transfer(lock, 1 + pick.number(6)),
  transferDrained: (lock, pick) => [...drain(lock), ...transfer(lock, 6 - pick.number(4))],
};
