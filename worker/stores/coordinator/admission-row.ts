import type { Admission } from '../../../src/domain/admission';
import {
  OWNERSHIP_MODES,
  OWNER_MODES,
  TRANSFER_PHASES,
  TRANSITION_STATES,
} from '../../../src/domain/coordinator-vocabulary';
import { STORE_CODES } from '../../../src/domain/error-codes';
import { refuse } from '../../../src/domain/refuse';
import {
  UnreadableRowError,
  readInteger,
  readOneOf,
  readOptionalOneOf,
  readOptionalText,
} from '../row-reader';
import { readForUpdate, type StoreCall } from '../store-call';

const SELECT = `SELECT active_workspace_id, coordinator_generation, ownership_mode, transition_state,
    transfer_target_mode, transfer_phase
  FROM local_sync_coordinator_state WHERE coordinator_id = 'local-sync'`;

/** What holds while the row was never made. */
const BEFORE_THE_FIRST_ROW: Admission = {
  activeWorkspaceId: null,
  coordinatorGeneration: 0,
  ownershipMode: 'stopped',
  transitionState: 'idle',
  transferTargetMode: null,
  transferPhase: null,
};

/** The few columns of the coordinator's row that every permit depends on. */
export function readAdmission(call: StoreCall): Admission {
  const row = readForUpdate(call.database, SELECT);
  if (row === undefined) return BEFORE_THE_FIRST_ROW;
  try {
    return {
      activeWorkspaceId: readOptionalText(row, 'active_workspace_id') || null,
      coordinatorGeneration: readInteger(row, 'coordinator_generation'),
      ownershipMode: readOneOf(row, 'ownership_mode', OWNERSHIP_MODES),
      transitionState: readOneOf(row, 'transition_state', TRANSITION_STATES),
      transferTargetMode: readOptionalOneOf(row, 'transfer_target_mode', OWNER_MODES),
      transferPhase: readOptionalOneOf(row, 'transfer_phase', TRANSFER_PHASES),
    };
  } catch (error) {
    return refuseCorruptState(error);
  }
}

/** Turns an unreadable coordinator row into the stores' code for it; other errors pass. */
export function refuseCorruptState(error: unknown): never {
  if (!(error instanceof UnreadableRowError)) throw error;
  return refuse(STORE_CODES.STATE_CORRUPT, `The coordinator's row cannot be read: ${error.message}.`, {
    expected: 'a readable row',
    actual: error.message,
  });
}
