import type { CoordinatorState } from '../../../src/domain/coordinator-state';
import { OWNER_MODES } from '../../../src/domain/coordinator-vocabulary';
import type { Row } from '../../database';
import { copyToQuarantine } from '../quarantine';
import { UnreadableRowError } from '../row-reader';
import { readForUpdate, type StoreCall } from '../store-call';
import {
  NO_TRANSITION,
  createStateRow,
  decodeState,
  findStateRow,
  readFilledText,
  updateState,
} from './state-rows';

/** The highest generation that any other row knows of. */
const SELECT_HIGHEST_GENERATION = `SELECT max(generation) AS generation FROM (
  SELECT max(expected_coordinator_generation) AS generation FROM local_sync_coordinator_commands
  UNION ALL SELECT max(coordinator_generation) FROM local_sync_execution_permits
  UNION ALL SELECT max(coordinator_generation) FROM local_workspace_sync_runner_state)`;

/** The data version is no part of what transitions change; one that cannot be read starts over. */
const RESET_DATA_VERSION = 'UPDATE local_sync_coordinator_state SET local_data_version = 0';

/**
 * The coordinator's state for recovery, made where it never was. One that cannot be read is copied to quarantine and
 * written anew, stopped, above every generation that is known: nothing that was admitted before counts any more.
 */
export function repairState(call: StoreCall, onQuarantined: () => void): CoordinatorState {
  const row = findStateRow(call) ?? createStateRow(call);
  try {
    return decodeState(row);
  } catch (error) {
    if (!(error instanceof UnreadableRowError)) throw error;
    copyToQuarantine(call.database, 'local_sync_coordinator_state', row, error.message, call.now);
    onQuarantined();
    return rewriteState(call, row);
  }
}

function rewriteState(call: StoreCall, row: Row): CoordinatorState {
  const highest = readForUpdate(call.database, SELECT_HIGHEST_GENERATION)?.['generation'];
  if (!Number.isSafeInteger(row['local_data_version'])) call.database.prepare(RESET_DATA_VERSION).run();
  return updateState(call, {
    ...NO_TRANSITION,
    activeWorkspaceId: readFilledText(row, 'active_workspace_id'),
    coordinatorGeneration: Math.max(toSafeInteger(row['coordinator_generation']), toSafeInteger(highest)) + 1,
    ownershipMode: 'stopped',
    desiredOwnershipMode:
      OWNER_MODES.find((mode) => mode === row['desired_ownership_mode']) ?? 'browser-gateway',
    terminalSwitchResult: null,
    terminalTransferResult: null,
  });
}

function toSafeInteger(value: unknown): number {
  return Number.isSafeInteger(value) ? Number(value) : 0;
}
