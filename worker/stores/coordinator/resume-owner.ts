import { refuseInvalid } from '../../../src/domain/command-admission';
import type { ActivateOwner, CoordinatorState, ResumeInput } from '../../../src/domain/coordinator-state';
import type { OwnerMode } from '../../../src/domain/coordinator-vocabulary';
import { STORE_CODES } from '../../../src/domain/error-codes';
import { refuse } from '../../../src/domain/refuse';
import { runSynchronously } from '../run-synchronously';
import type { StoreCall } from '../store-call';
import { readOrCreateState, updateState } from './state-rows';
import { refuseStale } from './transition-checks';

/** Gives synchronisation back to the owner that was wanted before the restart. Repeating it changes nothing. */
export function resumeOwner(
  call: StoreCall,
  { workspaceId, expectedCoordinatorGeneration }: ResumeInput,
  owner: OwnerMode,
  activate?: ActivateOwner,
): CoordinatorState {
  const state = readOrCreateState(call);
  const { ownershipMode, transitionState, desiredOwnershipMode } = state;
  if (state.coordinatorGeneration !== expectedCoordinatorGeneration) {
    refuseStale(state, 'Another generation holds now.', expectedCoordinatorGeneration);
  }
  if (state.activeWorkspaceId !== workspaceId) {
    refuse(STORE_CODES.INACTIVE_WORKSPACE, `Workspace "${workspaceId}" is not active.`, {
      expected: state.activeWorkspaceId,
      actual: workspaceId,
    });
  }
  if (ownershipMode === owner && transitionState === 'idle') return state;
  if (ownershipMode !== 'stopped' || transitionState !== 'idle' || desiredOwnershipMode !== owner) {
    refuseInvalid(
      `Ownership cannot be resumed by ${owner} from here.`,
      `stopped, idle, ${owner}`,
      `${ownershipMode}, ${transitionState}, ${desiredOwnershipMode}`,
    );
  }
  const next = updateState(call, { ownershipMode: owner });
  if (activate !== undefined) runSynchronously(() => activate(next), STORE_CODES.COMMAND_INVALID);
  return readOrCreateState(call);
}
