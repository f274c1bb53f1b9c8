import { refuseInvalid } from '../../../src/domain/command-admission';
import type {
  BeginWorkspaceSwitchInput,
  CompleteWorkspaceSwitchInput,
  CoordinatorState,
  FailWorkspaceSwitchInput,
} from '../../../src/domain/coordinator-state';
import { STORE_CODES } from '../../../src/domain/error-codes';
import { refuse } from '../../../src/domain/refuse';
import { runSynchronously } from '../run-synchronously';
import { readForUpdate, type StoreCall } from '../store-call';
import { alignCheckpoints } from './checkpoint-rows';
import { findCommand, isTerminal, moveCommand } from './command-rows';
import { moveRunnerCommandsAlong, settleOlderCommands } from './settle-commands';
import { NO_TRANSITION, readOrCreateState, toStateJson, updateState } from './state-rows';
import { refuseStale } from './transition-checks';

const FIND_COMMITTING_PERMIT = `SELECT permit_id FROM local_sync_execution_permits
  WHERE workspace_id = ? AND coordinator_generation = ? AND state = 'local-commit-entered'
    AND completed_at IS NULL LIMIT 1`;

/** Raises the generation at once: what the workspace being left still has under way can start and apply nothing. */
export function beginWorkspaceSwitch(call: StoreCall, input: BeginWorkspaceSwitchInput): CoordinatorState {
  const state = readOrCreateState(call);
  if (state.coordinatorGeneration !== input.expectedGeneration) {
    refuseStale(state, 'The switch was asked for under another generation.', input.expectedGeneration);
  }
  if (state.activeWorkspaceId !== input.expectedActiveWorkspaceId) {
    refuse(STORE_CODES.INACTIVE_WORKSPACE, 'Another workspace is active than the switch expects.', {
      expected: state.activeWorkspaceId,
      actual: input.expectedActiveWorkspaceId,
    });
  }
  if (state.transitionState !== 'idle') {
    refuseStale(state, 'Another transition is under way.', input.commandId);
  }
  assertNoLocalCommit(call, state);
  return updateState(call, {
    coordinatorGeneration: state.coordinatorGeneration + 1,
    ownershipMode: 'transitioning-workspace',
    transitionState: 'switching-workspace',
    acceptedSwitchCommandId: input.commandId,
    targetWorkspaceId: input.targetWorkspaceId,
    requestedBy: input.requestedBy,
    terminalSwitchResult: null,
  });
}

export function completeWorkspaceSwitch(
  call: StoreCall,
  input: CompleteWorkspaceSwitchInput,
): CoordinatorState {
  const { commandId, targetWorkspaceId, activateTargetForCommit } = input;
  const state = mustGetSwitch(call, commandId);
  if (state.targetWorkspaceId !== targetWorkspaceId) {
    refuseStale(state, 'The switch goes to another workspace.', targetWorkspaceId);
  }
  const next = updateState(call, {
    ...NO_TRANSITION,
    activeWorkspaceId: targetWorkspaceId,
    ownershipMode: 'browser-gateway',
    desiredOwnershipMode: 'browser-gateway',
    terminalSwitchResult: input.terminalResult ?? null,
  });
  if (activateTargetForCommit !== undefined) {
    runSynchronously(() => activateTargetForCommit(next), STORE_CODES.COMMAND_INVALID);
  }
  const generation = next.coordinatorGeneration;
  alignCheckpoints(call, targetWorkspaceId, generation);
  settleOlderCommands(call, { workspaceId: state.activeWorkspaceId, generation, commandId });
  const command = findCommand(call, commandId)?.record;
  if (command?.status !== 'running') {
    return refuseInvalid('The command of the switch is not running.', 'running', command?.status ?? null);
  }
  const final = readOrCreateState(call);
  moveCommand(call, command, { status: 'succeeded', result: { state: toStateJson(final) } });
  return final;
}

export function failWorkspaceSwitch(call: StoreCall, input: FailWorkspaceSwitchInput): CoordinatorState {
  const { commandId, errorCode, errorMessage } = input;
  mustGetSwitch(call, commandId);
  const next = updateState(call, {
    ...NO_TRANSITION,
    ownershipMode: 'browser-gateway',
    desiredOwnershipMode: 'browser-gateway',
    terminalSwitchResult: { status: 'failed', errorCode, errorMessage },
  });
  const { activeWorkspaceId: workspaceId, coordinatorGeneration: generation } = next;
  alignCheckpoints(call, workspaceId, generation);
  moveRunnerCommandsAlong(call, { workspaceId, generation, commandId });
  const command = findCommand(call, commandId)?.record;
  if (command !== undefined && !isTerminal(command.status)) {
    moveCommand(call, command, { status: 'failed', errorCode, errorMessage });
  }
  return next;
}

/** The state while this command owns a switch under way. */
function mustGetSwitch(call: StoreCall, commandId: string): CoordinatorState {
  const state = readOrCreateState(call);
  const isOwner =
    state.transitionState === 'switching-workspace' && state.acceptedSwitchCommandId === commandId;
  return isOwner ? state : refuseStale(state, 'The command owns no switch under way.', commandId);
}

/** An apply that has begun must end under the generation it began in. */
function assertNoLocalCommit(call: StoreCall, state: CoordinatorState): void {
  const committing = readForUpdate(call.database, FIND_COMMITTING_PERMIT, [
    state.activeWorkspaceId,
    state.coordinatorGeneration,
  ]);
  if (committing === undefined) return;
  refuse(STORE_CODES.DRAIN_INCOMPLETE, 'A permit of the active workspace is in local commit.', {
    expected: 'no permit in local commit',
    actual: committing['permit_id'],
  });
}
