import type { CommandEnvelope } from '../../../src/domain/command';
import { COMMAND_TYPES } from '../../../src/domain/coordinator-vocabulary';
import type { Json } from '../../../src/domain/json';
import { REQUESTED_BY } from '../support/store-setup';
import type { Lockstep } from './lockstep';
import { WORKSPACES, activeWorkspace, currentGeneration, currentOwner, type Action } from './choices';
import type { Picker } from './picker';
import type { ModelCommand } from './world';

const OPTIONS = [
  {},
  { requireActiveWorkspace: true },
  { requireActiveWorkspace: true, requireServerOwnership: true },
] as const;

function envelopeOf(lock: Lockstep, pick: Picker): CommandEnvelope {
  const type = pick.of(COMMAND_TYPES);
  const args: Json =
    type === 'TransferOwnership'
      ? { targetMode: otherOwner(lock, pick) }
      : type === 'SwitchWorkspace'
        ? null
        : pick.of([null, { deep: [1] }]);
  const commandId = `c-${pick.number(40)}`;
  return {
    commandId,
    workspaceId: pick.oneIn(10) ? null : activeWorkspace(lock, pick),
    expectedCoordinatorGeneration: currentGeneration(lock, pick),
    type,
    version: 1,
    args,
    canonicalFingerprint: pick.oneIn(15) ? 'another' : `fp-${commandId}`,
    requestedBy: REQUESTED_BY,
    requestedAt: lock.clock.in(-1_000 * pick.number(3)),
  };
}

function otherOwner({ world }: Lockstep, pick: Picker): 'server' | 'browser-gateway' {
  const isServer = world.rows.state?.ownershipMode === 'server';
  return isServer !== pick.oneIn(8) ? 'browser-gateway' : 'server';
}

function someCommand({ world }: Lockstep, pick: Picker, fits: (command: ModelCommand) => boolean): string {
  const found = pick.oneIn(8) ? undefined : pick.from(world.rows.commands.filter(fits));
  return (found ?? pick.from(world.rows.commands))?.commandId ?? 'nobody';
}

function runnerOf(lock: Lockstep, pick: Picker) {
  return {
    workspaceId: activeWorkspace(lock, pick),
    coordinatorGeneration: currentGeneration(lock, pick),
    ownerMode: currentOwner(lock, pick),
  };
}

const transferOwner = ({ world }: Lockstep, pick: Picker): string =>
  (pick.oneIn(10) ? undefined : world.rows.state?.acceptedTransferCommandId) ?? 'c-0';
const switchOwner = ({ world }: Lockstep, pick: Picker): string =>
  (pick.oneIn(10) ? undefined : world.rows.state?.acceptedSwitchCommandId) ?? 'c-0';

export const COORDINATOR_ACTIONS: Readonly<Record<string, Action>> = {
  readState: (lock) => ({
    call: () => lock.stores.coordinator.readOrCreateState(),
    model: () => lock.coordinator.state(),
  }),
  accept: (lock, pick) => {
    const envelope = envelopeOf(lock, pick);
    const isSwitch = envelope.type === 'SwitchWorkspace';
    const options = isSwitch
      ? {
          requireWorkspaceSwitchSource: !pick.oneIn(4),
          expectedActiveWorkspaceId: lock.world.rows.state?.activeWorkspaceId,
        }
      : pick.of(OPTIONS);
    return {
      call: () => lock.stores.coordinator.acceptCommand(envelope, options),
      model: () => lock.coordinator.accept(envelope, options),
    };
  },
  list: (lock, pick) => {
    const { workspaceId, coordinatorGeneration } = runnerOf(lock, pick);
    return {
      call: () => lock.stores.coordinator.listAcceptedRunnerCommands({ workspaceId, coordinatorGeneration }),
      model: () => lock.coordinator.list(workspaceId, coordinatorGeneration),
    };
  },
  claimNext: (lock, pick) => {
    const input = {
      ...runnerOf(lock, pick),
      cloudCapabilityAvailable: !pick.oneIn(4),
      withToken: pick.oneIn(2),
    };
    return {
      call: () => lock.stores.coordinator.claimNextRunnerCommand(input),
      model: () => lock.coordinator.claimNext(input),
    };
  },
  claimById: (lock, pick) => {
    const commandId = someCommand(lock, pick, (command) => command.status === 'accepted');
    const input = { ...runnerOf(lock, pick), commandId, withToken: pick.oneIn(2) };
    return {
      call: () => lock.stores.coordinator.claimCommandForExecution(input),
      model: () => lock.coordinator.claimById(input),
    };
  },
  requeue: (lock, pick) => {
    const fence = runnerOf(lock, pick);
    return {
      call: () => lock.stores.coordinator.recoverRunnerCommandsForRecreation(fence),
      model: () => lock.coordinator.recoverForRecreation(fence),
    };
  },
  markRunning: (lock, pick) => {
    const commandId = someCommand(lock, pick, (command) => command.status === 'accepted');
    return {
      call: () => lock.stores.coordinator.markCommandRunning(commandId),
      model: () => lock.coordinator.markRunning(commandId),
    };
  },
  finish: (lock, pick) => {
    const commandId = someCommand(lock, pick, (command) => command.status === 'running');
    const claimToken = lock.coordinator.find(commandId)?.claimToken ?? undefined;
    const input = {
      commandId,
      status: pick.of(['succeeded', 'failed']),
      result: pick.of([null, { rows: 3 }]),
      errorCode: pick.of([undefined, 'E']),
      claimToken: pick.oneIn(10) ? 'guess' : claimToken,
    };
    return {
      call: () => lock.stores.coordinator.finishCommand(input),
      model: () => lock.coordinator.finish(input),
    };
  },
  advanceVersion: (lock, pick) => {
    const input = {
      workspaceId: activeWorkspace(lock, pick),
      expectedCoordinatorGeneration: currentGeneration(lock, pick),
    };
    return {
      call: () => lock.stores.coordinator.advanceLocalDataVersion(input),
      model: () => lock.coordinator.advanceDataVersion(input),
    };
  },
  resume: (lock, pick) => {
    const input = {
      workspaceId: activeWorkspace(lock, pick),
      expectedCoordinatorGeneration: currentGeneration(lock, pick),
    };
    const desired = lock.world.rows.state?.desiredOwnershipMode ?? 'browser-gateway';
    const { coordinator } = lock.stores;
    return {
      call: () =>
        desired === 'server'
          ? coordinator.resumeServerAfterAuthenticatedRestart(input)
          : coordinator.resumeBrowserGatewayAfterAuthenticatedRestart(input),
      model: () => lock.coordinator.resume(input, desired),
    };
  },
  beginTransfer: (lock, pick) => {
    const fits = (command: ModelCommand): boolean =>
      command.status === 'accepted' && command.type === 'TransferOwnership';
    const commandId = someCommand(lock, pick, fits);
    const input = {
      commandId,
      expectedGeneration: currentGeneration(lock, pick),
      workspaceId: activeWorkspace(lock, pick),
      targetMode: otherOwner(lock, pick),
      version: 1,
      requestedBy: REQUESTED_BY,
    };
    return {
      call: () => lock.stores.coordinator.beginOwnershipTransfer(input),
      model: () => lock.coordinator.beginTransfer(input),
    };
  },
  advanceTransfer: (lock, pick) => {
    const { transferPhase, transferTargetMode } = lock.world.rows.state ?? {};
    const middle = transferTargetMode === 'server' ? 'starting-target' : 'stopping-source';
    const next = { preparing: 'draining', 'generation-advanced': middle, [middle]: 'committing' } as const;
    const expectedPhase = transferPhase ?? 'preparing';
    const input = {
      commandId: transferOwner(lock, pick),
      expectedPhase,
      nextPhase: pick.oneIn(10)
        ? pick.of(['committing', 'generation-advanced'])
        : (new Map(Object.entries(next)).get(expectedPhase) ?? 'committing'),
    };
    return {
      call: () => lock.stores.coordinator.advanceOwnershipTransfer(input),
      model: () => lock.coordinator.advanceTransfer(input),
    };
  },
  advanceTransferGeneration: (lock, pick) => {
    const input = {
      commandId: transferOwner(lock, pick),
      expectedSourceGeneration: currentGeneration(lock, pick),
    };
    return {
      call: () => lock.stores.coordinator.advanceOwnershipTransferGeneration(input),
      model: () =>
        lock.coordinator.advanceTransferGeneration(input.commandId, input.expectedSourceGeneration),
    };
  },
  completeTransfer: (lock, pick) => {
    const targetMode = lock.world.rows.state?.transferTargetMode ?? 'server';
    const input = { commandId: transferOwner(lock, pick), targetMode };
    return {
      call: () => lock.stores.coordinator.completeOwnershipTransfer(input),
      model: () => lock.coordinator.completeTransfer(input),
    };
  },
  failTransfer: (lock, pick) => {
    const input = {
      commandId: transferOwner(lock, pick),
      fallbackMode: pick.of(['browser-gateway', 'server', 'stopped']),
      errorCode: 'T',
      errorMessage: 'the transfer failed',
    };
    return {
      call: () => lock.stores.coordinator.failOwnershipTransfer(input),
      model: () => lock.coordinator.failTransfer(input),
    };
  },
  beginSwitch: (lock, pick) => {
    const fits = (command: ModelCommand): boolean =>
      command.status === 'accepted' && command.type === 'SwitchWorkspace';
    const input = {
      commandId: someCommand(lock, pick, fits),
      expectedGeneration: currentGeneration(lock, pick),
      expectedActiveWorkspaceId: lock.world.rows.state?.activeWorkspaceId ?? null,
      targetWorkspaceId: pick.of(WORKSPACES),
      requestedBy: REQUESTED_BY,
    };
    return {
      call: () => lock.stores.coordinator.beginWorkspaceSwitch(input),
      model: () => lock.coordinator.beginSwitch(input),
    };
  },
  markSwitchRunning: (lock, pick) => {
    const commandId = switchOwner(lock, pick);
    return {
      call: () => lock.stores.coordinator.markCommandRunning(commandId),
      model: () => lock.coordinator.markRunning(commandId),
    };
  },
  completeSwitch: (lock, pick) => {
    const targetWorkspaceId = lock.world.rows.state?.targetWorkspaceId ?? 'w';
    const input = {
      commandId: switchOwner(lock, pick),
      targetWorkspaceId,
      terminalResult: pick.of([undefined, { status: 'succeeded' }]),
    };
    return {
      call: () => lock.stores.coordinator.completeWorkspaceSwitch(input),
      model: () => lock.coordinator.completeSwitch(input),
    };
  },
  failSwitch: (lock, pick) => {
    const input = { commandId: switchOwner(lock, pick), errorCode: 'S', errorMessage: 'the switch failed' };
    return {
      call: () => lock.stores.coordinator.failWorkspaceSwitch(input),
      model: () => lock.coordinator.failSwitch(input),
    };
  },
  recover: (lock, pick) => {
    const neverStarted = pick.of(['keep', 'fail']);
    return {
      call: () => lock.stores.coordinator.recoverAfterRestart({ neverStarted }),
      model: () => lock.coordinator.recover(neverStarted),
    };
  },
  pruneCommands: (lock) => ({
    // Nothing is beyond the newest thousand here: it must take nothing.
    call: () => lock.stores.coordinator.pruneTerminalCommands(),
    model: () => 0,
  }),
};
