import type { CoordinatorState } from '../../src/domain/coordinator-state';
import { LIBRARY_CODES } from '../../src/domain/error-codes';
import { TidelockError } from '../../src/domain/tidelock-error';
import type { CallInput } from '../../src/protocol/surface';
import type { CallContext } from './call-context';

/**
 * Makes a workspace the active one: the first by a switch of its own, the same again by resuming what a restart left
 * stopped. Opening what is open already changes nothing.
 */
export function openWorkspace(context: CallContext, input: CallInput<'workspaces.open'>): CoordinatorState {
  const { coordinator } = context.stores;
  const state = coordinator.readOrCreateState();
  if (state.activeWorkspaceId === null) return switchFromNone(context, state, input);
  if (state.activeWorkspaceId !== input.workspaceId) {
    throw new TidelockError(
      LIBRARY_CODES.WORKSPACE_ACTIVE_ELSEWHERE,
      `Workspace "${state.activeWorkspaceId}" is active, not "${input.workspaceId}".`,
      { details: { expected: input.workspaceId, actual: state.activeWorkspaceId } },
    );
  }
  if (state.ownershipMode !== 'stopped' || state.transitionState !== 'idle') return state;
  const fence = {
    workspaceId: input.workspaceId,
    expectedCoordinatorGeneration: state.coordinatorGeneration,
  };
  return state.desiredOwnershipMode === 'server'
    ? state
    : coordinator.resumeBrowserGatewayAfterAuthenticatedRestart(fence);
}

function switchFromNone(
  { stores: { coordinator }, clock, newId }: CallContext,
  state: CoordinatorState,
  { workspaceId, principal }: CallInput<'workspaces.open'>,
): CoordinatorState {
  if (state.ownershipMode === 'stopped') coordinator.setLifecycleMode('browser-gateway', 'idle');
  const commandId = newId();
  coordinator.acceptCommand(
    {
      commandId,
      workspaceId: null,
      expectedCoordinatorGeneration: state.coordinatorGeneration,
      type: 'SwitchWorkspace',
      version: 1,
      args: { targetWorkspaceId: workspaceId },
      canonicalFingerprint: commandId, // an internal command: its id is never used again
      requestedBy: principal,
      requestedAt: clock(),
    },
    { requireWorkspaceSwitchSource: true, expectedActiveWorkspaceId: null },
  );
  coordinator.beginWorkspaceSwitch({
    commandId,
    expectedGeneration: state.coordinatorGeneration,
    expectedActiveWorkspaceId: null,
    targetWorkspaceId: workspaceId,
    requestedBy: principal,
  });
  coordinator.markCommandRunning(commandId);
  return coordinator.completeWorkspaceSwitch({ commandId, targetWorkspaceId: workspaceId });
}
