import { mustBeTransferCommand, refuseInvalid } from '../../../src/domain/command-admission';
import type {
  ActivateOwner,
  AdvanceOwnershipTransferGenerationInput,
  AdvanceOwnershipTransferInput,
  BeginOwnershipTransferInput,
  CompleteOwnershipTransferInput,
  CoordinatorState,
  FailOwnershipTransferInput,
} from '../../../src/domain/coordinator-state';
import { FALLBACK_MODES, OWNER_MODES, type TransferPhase } from '../../../src/domain/coordinator-vocabulary';
import { STORE_CODES } from '../../../src/domain/error-codes';
import { refuse } from '../../../src/domain/refuse';
import { toTerminalTransfer } from '../../../src/domain/terminal-transfer';
import { canAdvance, isPastDraining, TRANSFERS } from '../../../src/domain/transfer-machine';
import { readForUpdate, type StoreCall } from '../store-call';
import { runSynchronously } from '../run-synchronously';
import { alignCheckpoints, findStrayedGeneration } from './checkpoint-rows';
import { findCommand, isTerminal, moveCommand } from './command-rows';
import { moveRunnerCommandsAlong, settleOlderCommands } from './settle-commands';
import { NO_TRANSITION, readOrCreateState, toStateJson, updateState } from './state-rows';
import { refuseStale } from './transition-checks';

const FIND_ACTIVE_PERMIT = `SELECT permit_id FROM local_sync_execution_permits
  WHERE workspace_id = ? AND coordinator_generation = ? AND completed_at IS NULL LIMIT 1`;

export function beginOwnershipTransfer(
  call: StoreCall,
  input: BeginOwnershipTransferInput,
): CoordinatorState {
  const state = readOrCreateState(call);
  const { commandId, targetMode } = input;
  if (state.coordinatorGeneration !== input.expectedGeneration) {
    refuseStale(state, 'The transfer was asked for under another generation.', input.expectedGeneration);
  }
  if (state.activeWorkspaceId !== input.workspaceId) {
    refuse(STORE_CODES.INACTIVE_WORKSPACE, `Workspace "${input.workspaceId}" is not active.`, {
      expected: state.activeWorkspaceId,
      actual: input.workspaceId,
    });
  }
  const owner = OWNER_MODES.find((mode) => mode === state.ownershipMode);
  if (state.transitionState !== 'idle' || owner === undefined || owner === targetMode) {
    refuseStale(state, `Ownership cannot go to ${targetMode} from here.`, state.ownershipMode);
  }
  const command = mustBeTransferCommand(findCommand(call, commandId)?.record, input);
  if (!OWNER_MODES.includes(targetMode)) {
    refuseInvalid('Ownership goes to one of the two owner modes only.', OWNER_MODES, targetMode);
  }
  const transfer = TRANSFERS[targetMode];
  moveCommand(call, command, { status: 'running' });
  return updateState(call, {
    ownershipMode: transfer.ownershipMode,
    transitionState: 'transferring-ownership',
    requestedBy: input.requestedBy,
    terminalTransferResult: null,
    acceptedTransferCommandId: commandId,
    transferTargetMode: targetMode,
    transferPhase: 'preparing',
    transferVersion: input.version,
  });
}

export function advanceOwnershipTransfer(
  call: StoreCall,
  input: AdvanceOwnershipTransferInput,
): CoordinatorState {
  const { state, target, phase } = mustGetTransfer(call, input.commandId);
  if (phase !== input.expectedPhase || !canAdvance(phase, input.nextPhase, target)) {
    refuseStale(state, `The transfer cannot go from ${input.expectedPhase} to ${input.nextPhase}.`, phase);
  }
  return updateState(call, { transferPhase: input.nextPhase });
}

/** The moment of change: once the source is drained, nothing admitted under the old generation counts any more. */
export function advanceOwnershipTransferGeneration(
  call: StoreCall,
  input: AdvanceOwnershipTransferGenerationInput,
): CoordinatorState {
  const { state, phase } = mustGetTransfer(call, input.commandId);
  const { activeWorkspaceId, coordinatorGeneration } = state;
  if (
    phase !== 'draining' ||
    coordinatorGeneration !== input.expectedSourceGeneration ||
    activeWorkspaceId === null
  ) {
    return refuseStale(
      state,
      'The transfer is not draining this generation.',
      input.expectedSourceGeneration,
    );
  }
  assertDrained(call, state);
  const strayed = findStrayedGeneration(call, activeWorkspaceId, coordinatorGeneration);
  if (strayed !== undefined) refuseStale(state, 'A checkpoint belongs to another generation.', strayed);
  const generation = coordinatorGeneration + 1;
  alignCheckpoints(call, activeWorkspaceId, generation);
  return updateState(call, {
    coordinatorGeneration: generation,
    transferPhase: 'generation-advanced',
  });
}

export function completeOwnershipTransfer(
  call: StoreCall,
  { commandId, targetMode }: CompleteOwnershipTransferInput,
  activate?: ActivateOwner,
): CoordinatorState {
  const { state, target, phase } = mustGetTransfer(call, commandId);
  if (target !== targetMode || phase !== 'committing') {
    refuseStale(state, 'The transfer is not committing to this target.', `${target}, ${phase}`);
  }
  const command = findCommand(call, commandId)?.record;
  if (command?.status !== 'running') {
    return refuseInvalid('The command of the transfer is not running.', 'running', command?.status ?? null);
  }
  const next = updateState(call, {
    ...NO_TRANSITION,
    ownershipMode: targetMode,
    desiredOwnershipMode: targetMode,
    terminalTransferResult: toTerminalTransfer(state, call.now, null),
  });
  settleOlderCommands(call, {
    workspaceId: next.activeWorkspaceId,
    generation: next.coordinatorGeneration,
    commandId,
  });
  moveCommand(call, command, { status: 'succeeded', result: { state: toStateJson(next) } });
  if (activate !== undefined) runSynchronously(() => activate(next), STORE_CODES.COMMAND_INVALID);
  return readOrCreateState(call);
}

export function failOwnershipTransfer(call: StoreCall, input: FailOwnershipTransferInput): CoordinatorState {
  const { commandId, fallbackMode, errorCode, errorMessage } = input;
  const { state, target, phase } = mustGetTransfer(call, commandId);
  if (!FALLBACK_MODES.includes(fallbackMode)) {
    refuseInvalid('A transfer falls back to an owner or to stopped.', FALLBACK_MODES, fallbackMode);
  }
  if (!isPastDraining(phase) && fallbackMode !== TRANSFERS[target].sourceMode) {
    assertDrained(call, state);
  }
  const command = findCommand(call, commandId)?.record;
  if (command === undefined || isTerminal(command.status)) {
    return refuseInvalid('The command of the transfer is not active.', 'running', command?.status ?? null);
  }
  const terminalTransfer = toTerminalTransfer(state, call.now, { errorCode });
  const generation = state.coordinatorGeneration + (isPastDraining(phase) ? 1 : 0);
  const next = updateState(call, {
    ...NO_TRANSITION,
    coordinatorGeneration: generation,
    ownershipMode: fallbackMode,
    desiredOwnershipMode: fallbackMode === 'browser-gateway' ? fallbackMode : state.desiredOwnershipMode,
    terminalTransferResult: terminalTransfer,
  });
  alignCheckpoints(call, next.activeWorkspaceId, generation);
  if (isPastDraining(phase)) {
    moveRunnerCommandsAlong(call, { workspaceId: next.activeWorkspaceId, generation, commandId });
  }
  moveCommand(call, command, {
    status: 'failed',
    result: { terminalTransfer },
    errorCode,
    errorMessage,
  });
  return next;
}

/** The transfer under way, where this command owns it. */
function mustGetTransfer(call: StoreCall, commandId: string) {
  const state = readOrCreateState(call);
  const { acceptedTransferCommandId, transferTargetMode, transferPhase } = state;
  if (acceptedTransferCommandId !== commandId || transferTargetMode === null || transferPhase === null) {
    return refuseStale(state, 'The command owns no transfer under way.', commandId);
  }
  const phase: TransferPhase = transferPhase;
  return { state, target: transferTargetMode, phase };
}

/** Where no workspace is active there is nothing to drain. */
function assertDrained(call: StoreCall, state: CoordinatorState): void {
  const active = readForUpdate(call.database, FIND_ACTIVE_PERMIT, [
    state.activeWorkspaceId,
    state.coordinatorGeneration,
  ]);
  if (active === undefined) return;
  refuse(STORE_CODES.DRAIN_INCOMPLETE, 'Permits of the source generation are still active.', {
    expected: 'no active permit',
    actual: active['permit_id'],
  });
}
