import type { CommandEnvelope } from '../../../src/domain/command';
import type { CompletionGroup } from '../../../src/domain/completion-group';
import type { Fence, IssueInput } from '../../../src/domain/permit';
import type { OperationClass, UpstreamDisposition } from '../../../src/domain/permit-vocabulary';
import type { Stores } from '../../../worker/stores';
import { PUSH_BOUNDARY } from './permit-situations';
import { REQUESTED_BY, envelope, type TestClock } from './store-setup';

/** A call that is killed at each of its statements, and what has to be there for it. */
export interface CrashCase {
  readonly prepare: (stores: Stores, clock: TestClock) => void;
  /** `instance` is the writer's life under which the call is made, or made again. */
  readonly call: (stores: Stores, instance: string, clock: TestClock) => unknown;
  /** The host's recovery itself: it is not run before the call is made again, because it is the call. */
  readonly isRecovery?: true;
}

/** The tab that makes the calls; it outlives the writer. */
export const HOLDER = 'tab-1';
const GENERATION = 1;
const WORKSPACE = { workspaceId: 'w', coordinatorGeneration: GENERATION } as const;
const OWNED = { ...WORKSPACE, ownerMode: 'browser-gateway' } as const;

const fence = (permitId: string, serverInstanceId: string): Fence => ({
  ...WORKSPACE,
  permitId,
  serverInstanceId,
});

function input(
  permitId: string,
  operationClass: OperationClass,
  instance: string,
  clock: TestClock,
): IssueInput {
  const isMutation = operationClass === 'push' || operationClass === 'v3-dispatch';
  return {
    ...fence(permitId, instance),
    operationClass,
    operationIdentity: isMutation ? 'op-1' : undefined,
    lastCommittedCursor: operationClass === 'push' ? PUSH_BOUNDARY_JSON : null,
    deadlineAt: clock.in(60_000),
    holderId: HOLDER,
  };
}

const PUSH_BOUNDARY_JSON = { ...PUSH_BOUNDARY };

function issue(
  { permits }: Stores,
  clock: TestClock,
  permitId: string,
  operationClass: OperationClass = 'pull',
): void {
  permits.issue(input(permitId, operationClass, 's-1', clock));
}

function start(stores: Stores, clock: TestClock, permitId: string, operationClass?: OperationClass): void {
  issue(stores, clock, permitId, operationClass);
  stores.permits.transition({
    ...fence(permitId, 's-1'),
    expectedState: 'issued-idle',
    nextState: 'gateway-in-flight',
  });
}

function answer(
  stores: Stores,
  clock: TestClock,
  permitId: string,
  operationClass: OperationClass = 'pull',
  upstreamDisposition: UpstreamDisposition = 'accepted',
): void {
  start(stores, clock, permitId, operationClass);
  stores.permits.transition({
    ...fence(permitId, 's-1'),
    expectedState: 'gateway-in-flight',
    nextState: 'gateway-complete-awaiting-apply',
    upstreamDisposition,
  });
}

/** An obligation left by an earlier attempt. */
function oblige(stores: Stores, clock: TestClock, permitId: string, operationClass?: OperationClass): void {
  answer(stores, clock, permitId, operationClass);
  stores.permits.abandonPermit(fence(permitId, 's-1'));
}

const group = (permitId: string, instance: string): CompletionGroup => ({
  ...OWNED,
  permitIds: [permitId],
  serverInstanceId: instance,
  previousBoundary: null,
  expectedBoundary: { page: 1 },
});

const command = (commandId: string, fields: Partial<CommandEnvelope> = {}): CommandEnvelope =>
  envelope({ commandId, ...fields });

function own({ coordinator }: Stores): void {
  coordinator.setLifecycleMode('server', 'idle');
}

const RUNNER = { ...WORKSPACE, cloudCapabilityAvailable: true, ownerMode: 'browser-gateway' } as const;
const TRANSFER = {
  commandId: 'c',
  expectedGeneration: GENERATION,
  workspaceId: 'w',
  targetMode: 'server',
  version: 1,
  requestedBy: REQUESTED_BY,
} as const;

function beginTransfer({ coordinator }: Stores): void {
  coordinator.acceptCommand(command('c', { type: 'TransferOwnership', args: { targetMode: 'server' } }));
  coordinator.beginOwnershipTransfer(TRANSFER);
}

const SWITCH = {
  commandId: 'c',
  expectedGeneration: GENERATION,
  expectedActiveWorkspaceId: 'w',
  targetWorkspaceId: 'w-2',
  requestedBy: REQUESTED_BY,
} as const;

const nothing = (): void => undefined;

export const CRASH_CASES: Readonly<Record<string, CrashCase>> = {
  issue: {
    prepare: nothing,
    call: ({ permits }, instance, clock) => permits.issue(input('p', 'pull', instance, clock)),
  },
  'transition to in flight': {
    prepare: (stores, clock) => issue(stores, clock, 'p'),
    call: ({ permits }, instance) =>
      permits.transition({
        ...fence('p', instance),
        expectedState: 'issued-idle',
        nextState: 'gateway-in-flight',
      }),
  },
  'transition to an answer': {
    prepare: (stores, clock) => start(stores, clock, 'p'),
    call: ({ permits }, instance) =>
      permits.transition({
        ...fence('p', instance),
        expectedState: 'gateway-in-flight',
        nextState: 'gateway-complete-awaiting-apply',
        upstreamDisposition: 'accepted',
      }),
  },
  renew: {
    prepare: (stores, clock) => start(stores, clock, 'p'),
    call: ({ permits }, instance, clock) =>
      permits.renew({ ...fence('p', instance), deadlineAt: clock.in(120_000) }),
  },
  release: {
    prepare: (stores, clock) => {
      oblige(stores, clock, 'earlier', 'push');
      answer(stores, clock, 'p', 'push', 'rejected');
    },
    call: ({ permits }, instance) => permits.release(fence('p', instance)),
  },
  abandonPermit: {
    prepare: (stores, clock) => answer(stores, clock, 'p'),
    call: ({ permits }, instance) => permits.abandonPermit(fence('p', instance)),
  },
  acknowledgeNonApplyingCompletion: {
    prepare: (stores, clock) => {
      oblige(stores, clock, 'earlier', 'handshake');
      answer(stores, clock, 'p', 'handshake');
    },
    call: ({ permits }, instance) =>
      permits.acknowledgeNonApplyingCompletion({ ...fence('p', instance), ownerMode: 'browser-gateway' }),
  },
  enterLocalCommit: {
    prepare: (stores, clock) => answer(stores, clock, 'p'),
    call: ({ permits }, instance) => permits.enterLocalCommit(fence('p', instance)),
  },
  enterLocalCommitGroup: {
    prepare: (stores, clock) => answer(stores, clock, 'p'),
    call: ({ permits }, instance) => permits.enterLocalCommitGroup(group('p', instance)),
  },
  'a whole apply': {
    prepare: (stores, clock) => {
      oblige(stores, clock, 'earlier');
      answer(stores, clock, 'p');
    },
    call: ({ permits, coordinator, cursors }, instance) => {
      const whole = group('p', instance);
      permits.enterLocalCommitGroup(whole);
      return permits.completeLocalCommitGroup(whole, () => {
        coordinator.advanceLocalDataVersion({ workspaceId: 'w', expectedCoordinatorGeneration: GENERATION });
        const obligationIds = permits
          .listResolvableRecoveryObligations(whole)
          .map((obligation) => obligation.obligationId);
        permits.resolveRecoveryObligations({ completionGroup: whole, obligationIds }, () => {
          cursors.commitCursor({ ...WORKSPACE, stream: 'main', previous: null, next: { page: 1 } });
          return { page: 1 };
        });
      });
    },
  },
  'a whole local apply': {
    prepare: (stores, clock) => issue(stores, clock, 'p', 'local-apply'),
    call: ({ permits }, instance) => {
      permits.enterLocalCommit(fence('p', instance));
      return permits.completeLocalCommit(fence('p', instance));
    },
  },
  completeAcceptedV3Dispatch: {
    prepare: (stores, clock) => {
      oblige(stores, clock, 'earlier', 'v3-dispatch');
      answer(stores, clock, 'p', 'v3-dispatch');
    },
    call: ({ permits, coordinator }, instance) =>
      permits.completeAcceptedV3Dispatch(
        { ...fence('p', instance), ownerMode: 'browser-gateway', operationIdentity: 'op-1' },
        () =>
          coordinator.advanceLocalDataVersion({
            workspaceId: 'w',
            expectedCoordinatorGeneration: GENERATION,
          }),
      ),
  },
  completeAcceptedPushEchoGroup: {
    prepare: (stores, clock) => {
      oblige(stores, clock, 'earlier', 'push');
      answer(stores, clock, 'p', 'push');
    },
    call: ({ permits }, instance) =>
      permits.completeAcceptedPushEchoGroup(
        { ...OWNED, permitIds: ['p'], serverInstanceId: instance, pushBoundary: PUSH_BOUNDARY },
        () => 'echoed',
      ),
  },
  completeAcceptedPushWithoutEcho: {
    prepare: (stores, clock) => answer(stores, clock, 'p', 'push'),
    call: ({ permits }, instance) =>
      permits.completeAcceptedPushWithoutEcho({
        ...OWNED,
        permitIds: ['p'],
        serverInstanceId: instance,
        pushBoundary: PUSH_BOUNDARY,
      }),
  },
  abandonNeverStartedForDrain: {
    prepare: (stores, clock) => {
      issue(stores, clock, 'p');
      issue(stores, clock, 'q');
    },
    call: ({ permits }) => permits.abandonNeverStartedForDrain(WORKSPACE),
  },
  recoverExpiredPermits: {
    prepare: (stores, clock) => {
      start(stores, clock, 'p');
      issue(stores, clock, 'q');
      clock.move(120_000);
    },
    call: ({ permits }, instance) =>
      permits.recoverExpiredPermits({ workspaceId: 'w', currentServerInstanceId: instance }),
  },
  abandonHolderPermits: {
    prepare: (stores, clock) => {
      start(stores, clock, 'p');
      issue(stores, clock, 'q');
    },
    call: ({ permits }, instance) =>
      permits.abandonHolderPermits({ holderId: HOLDER, currentServerInstanceId: instance }),
  },
  settleInterruptedLocalCommit: {
    prepare: (stores, clock) => {
      answer(stores, clock, 'p');
      stores.permits.enterLocalCommit(fence('p', 's-1'));
    },
    call: ({ permits }) =>
      permits.settleInterruptedLocalCommit({
        workspaceId: 'w',
        permitId: 'p',
        outcome: 'not-committed',
        evidence: 'checked',
      }),
  },
  resolveV3DispatchRecoveryObligations: {
    prepare: (stores, clock) => oblige(stores, clock, 'earlier', 'v3-dispatch'),
    call: ({ permits }) =>
      permits.resolveV3DispatchRecoveryObligations({
        ...OWNED,
        resolutions: permits.listOpenRecoveryObligations('w').map(({ obligationId }) => ({
          obligationId,
          operationIdentity: 'op-1',
          resolvedBoundary: { by: 'hand' },
        })),
      }),
  },
  resolveAuthoritativeRepairRecoveryObligations: {
    prepare: (stores, clock) => {
      oblige(stores, clock, 'earlier');
      oblige(stores, clock, 'another', 'push');
    },
    call: ({ permits }) =>
      permits.resolveAuthoritativeRepairRecoveryObligations({
        ...OWNED,
        repairId: 'r',
        stateSignatureSha256: 's',
      }),
  },
  settleOvertakenObligations: {
    prepare: (stores, clock) => {
      oblige(stores, clock, 'earlier');
      stores.cursors.commitCursor({ ...WORKSPACE, stream: 'main', previous: null, next: 1 });
    },
    call: ({ permits }) => permits.settleOvertakenObligations({ ...OWNED, stream: 'main' }),
  },
  'adopting and recovering prior permits': {
    prepare: (stores, clock) => {
      start(stores, clock, 'p');
      stores.permits.issue({ ...input('q', 'pull', 's-0', clock), holderId: null });
      stores.permits.issue({ ...input('r', 'handshake', 's-0', clock), holderId: 'gone' });
    },
    call: ({ permits }, instance) => ({
      ...permits.adoptPermits({ currentServerInstanceId: instance, holderIds: [HOLDER] }),
      ...permits.recoverPriorServerPermits({ currentServerInstanceId: instance }),
    }),
    isRecovery: true,
  },
  commitCursor: {
    prepare: nothing,
    call: ({ cursors }) =>
      cursors.commitCursor({ ...WORKSPACE, stream: 'main', previous: null, next: { page: 1 } }),
  },

  acceptCommand: {
    prepare: nothing,
    call: ({ coordinator }) => coordinator.acceptCommand(command('c'), { requireActiveWorkspace: true }),
  },
  'acceptCommand that coalesces': {
    prepare: ({ coordinator }) => void coordinator.acceptCommand(command('leader')),
    call: ({ coordinator }) => coordinator.acceptCommand(command('c')),
  },
  'acceptCommand that overrules': {
    prepare: ({ coordinator }) => {
      coordinator.acceptCommand(command('sync'));
      coordinator.acceptCommand(command('enable', { type: 'EnableSync' }));
    },
    call: ({ coordinator }) => coordinator.acceptCommand(command('c', { type: 'DisableSync' })),
  },
  claimNextRunnerCommand: {
    prepare: ({ coordinator }) => void coordinator.acceptCommand(command('c')),
    call: ({ coordinator }) => coordinator.claimNextRunnerCommand(RUNNER),
  },
  claimCommandForExecution: {
    prepare: ({ coordinator }) => void coordinator.acceptCommand(command('c')),
    call: ({ coordinator }) => coordinator.claimCommandForExecution({ ...RUNNER, commandId: 'c' }),
  },
  recoverRunnerCommandsForRecreation: {
    prepare: ({ coordinator }) => {
      coordinator.acceptCommand(command('c'));
      coordinator.markCommandRunning('c');
      coordinator.acceptCommand(command('d', { type: 'Repair' }));
    },
    call: ({ coordinator }) => coordinator.recoverRunnerCommandsForRecreation(RUNNER),
  },
  markCommandRunning: {
    prepare: ({ coordinator }) => void coordinator.acceptCommand(command('c')),
    call: ({ coordinator }) => coordinator.markCommandRunning('c'),
  },
  finishCommand: {
    prepare: ({ coordinator }) => void coordinator.acceptCommand(command('c')),
    call: ({ coordinator }) =>
      coordinator.finishCommand({
        commandId: 'c',
        status: 'succeeded',
        result: { leaderCommandId: 'another' },
      }),
  },
  setLifecycleMode: {
    prepare: nothing,
    call: ({ coordinator }) => coordinator.setLifecycleMode('stopped', 'idle'),
  },
  advanceLocalDataVersion: {
    prepare: nothing,
    call: ({ coordinator }) =>
      coordinator.advanceLocalDataVersion({ workspaceId: 'w', expectedCoordinatorGeneration: GENERATION }),
  },
  resumeBrowserGatewayAfterAuthenticatedRestart: {
    prepare: ({ coordinator }) => void coordinator.setLifecycleMode('stopped', 'idle'),
    call: ({ coordinator }) =>
      coordinator.resumeBrowserGatewayAfterAuthenticatedRestart({
        workspaceId: 'w',
        expectedCoordinatorGeneration: GENERATION,
      }),
  },
  beginOwnershipTransfer: {
    prepare: ({ coordinator }) =>
      void coordinator.acceptCommand(
        command('c', { type: 'TransferOwnership', args: { targetMode: 'server' } }),
      ),
    call: ({ coordinator }) => coordinator.beginOwnershipTransfer(TRANSFER),
    isRecovery: true,
  },
  'the rest of a transfer': {
    prepare: (stores) => {
      stores.coordinator.acceptCommand(command('older'));
      beginTransfer(stores);
    },
    call: ({ coordinator }) => {
      const commandId = 'c';
      coordinator.advanceOwnershipTransfer({
        commandId,
        expectedPhase: 'preparing',
        nextPhase: 'draining',
      });
      coordinator.advanceOwnershipTransferGeneration({ commandId, expectedSourceGeneration: GENERATION });
      coordinator.advanceOwnershipTransfer({
        commandId,
        expectedPhase: 'generation-advanced',
        nextPhase: 'starting-target',
      });
      coordinator.advanceOwnershipTransfer({
        commandId,
        expectedPhase: 'starting-target',
        nextPhase: 'committing',
      });
      return coordinator.completeOwnershipTransfer({ commandId, targetMode: 'server' });
    },
    isRecovery: true,
  },
  failOwnershipTransfer: {
    prepare: beginTransfer,
    call: ({ coordinator }) =>
      coordinator.failOwnershipTransfer({
        commandId: 'c',
        fallbackMode: 'browser-gateway',
        errorCode: 'X',
        errorMessage: 'x',
      }),
    isRecovery: true,
  },
  'a whole switch': {
    prepare: (stores, clock) => {
      stores.coordinator.acceptCommand(command('older'));
      start(stores, clock, 'p');
    },
    call: ({ coordinator }) => {
      coordinator.acceptCommand(command('c', { type: 'SwitchWorkspace' }));
      coordinator.beginWorkspaceSwitch(SWITCH);
      coordinator.markCommandRunning('c');
      return coordinator.completeWorkspaceSwitch({ commandId: 'c', targetWorkspaceId: 'w-2' });
    },
  },
  failWorkspaceSwitch: {
    prepare: ({ coordinator }) => {
      coordinator.acceptCommand(command('older'));
      coordinator.acceptCommand(command('c', { type: 'SwitchWorkspace' }));
      coordinator.beginWorkspaceSwitch(SWITCH);
    },
    call: ({ coordinator }) =>
      coordinator.failWorkspaceSwitch({ commandId: 'c', errorCode: 'X', errorMessage: 'x' }),
    isRecovery: true,
  },
  'recoverAfterRestart of a server': {
    prepare: (stores) => {
      stores.coordinator.acceptCommand(command('c'));
      stores.coordinator.markCommandRunning('c');
      stores.coordinator.acceptCommand(command('d', { type: 'EnableSync' }));
      stores.coordinator.acceptCommand(command('e', { type: 'TransferOwnership' }));
      own(stores);
    },
    call: ({ coordinator }) => coordinator.recoverAfterRestart({ neverStarted: 'keep' }),
    isRecovery: true,
  },
};
