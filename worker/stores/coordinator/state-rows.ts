import type { AdvanceLocalDataVersionInput, CoordinatorState } from '../../../src/domain/coordinator-state';
import {
  OWNERSHIP_MODES,
  OWNER_MODES,
  TRANSFER_PHASES,
  TRANSITION_STATES,
} from '../../../src/domain/coordinator-vocabulary';
import { STORE_CODES } from '../../../src/domain/error-codes';
import type { Json } from '../../../src/domain/json';
import { refuse } from '../../../src/domain/refuse';
import { parseRequestedBy, parseTerminalTransfer } from '../../../src/domain/terminal-transfer';
import type { Database, Row, SqlValue } from '../../database';
import {
  readInteger,
  readJsonOrNull,
  readOneOf,
  readOptionalOneOf,
  readOptionalText,
  readText,
  toJsonColumn,
} from '../row-reader';
import { readForUpdate, type StoreCall } from '../store-call';
import { refuseCorruptState } from './admission-row';

const SELECT = `SELECT active_workspace_id, coordinator_generation, local_data_version, ownership_mode,
    desired_ownership_mode, transition_state, accepted_switch_command_id, target_workspace_id, requested_by_json,
    terminal_switch_result_json, terminal_transfer_result_json, accepted_transfer_command_id, transfer_target_mode,
    transfer_phase, transfer_version, updated_at
  FROM local_sync_coordinator_state WHERE coordinator_id = 'local-sync'`;

const INSERT_FIRST = `INSERT INTO local_sync_coordinator_state
    (coordinator_id, ownership_mode, desired_ownership_mode, transition_state, updated_at)
  VALUES ('local-sync', 'stopped', 'browser-gateway', 'idle', ?)`;

type StateChanges = Partial<Omit<CoordinatorState, 'localDataVersion' | 'updatedAt'>>;

/** The column of each field that a transition may change. */
const COLUMNS = {
  activeWorkspaceId: 'active_workspace_id',
  coordinatorGeneration: 'coordinator_generation',
  ownershipMode: 'ownership_mode',
  desiredOwnershipMode: 'desired_ownership_mode',
  transitionState: 'transition_state',
  acceptedSwitchCommandId: 'accepted_switch_command_id',
  targetWorkspaceId: 'target_workspace_id',
  requestedBy: 'requested_by_json',
  terminalSwitchResult: 'terminal_switch_result_json',
  terminalTransferResult: 'terminal_transfer_result_json',
  acceptedTransferCommandId: 'accepted_transfer_command_id',
  transferTargetMode: 'transfer_target_mode',
  transferPhase: 'transfer_phase',
  transferVersion: 'transfer_version',
} as const satisfies Record<keyof Required<StateChanges>, string>;

const ADVANCE_DATA_VERSION = `UPDATE local_sync_coordinator_state
  SET local_data_version = local_data_version + 1, updated_at = ?
  WHERE coordinator_id = 'local-sync' AND coordinator_generation = ? AND active_workspace_id = ?
  RETURNING local_data_version`;

/** The columns that say a transition is under way, all cleared; what ended it writes them back so. */
export const NO_TRANSITION = {
  transitionState: 'idle',
  acceptedSwitchCommandId: null,
  targetWorkspaceId: null,
  requestedBy: null,
  acceptedTransferCommandId: null,
  transferTargetMode: null,
  transferPhase: null,
  transferVersion: null,
} as const satisfies Partial<CoordinatorState>;

/** The state, made with its first values where it never was. */
export function readOrCreateState(call: StoreCall): CoordinatorState {
  const row = findStateRow(call) ?? createStateRow(call);
  try {
    return decodeState(row);
  } catch (error) {
    return refuseCorruptState(error);
  }
}

export function findStateRow(call: StoreCall): Row | undefined {
  return readForUpdate(call.database, SELECT);
}

export function createStateRow(call: StoreCall): Row {
  call.database.prepare(INSERT_FIRST).run([call.now]);
  return mustGetStateRow(call);
}

function mustGetStateRow(call: StoreCall): Row {
  const row = findStateRow(call);
  if (row === undefined) throw new Error('the coordinator row is gone in the middle of a call');
  return row;
}

/**
 * Changes the state and gives it back as it is read. Columns that no change names stay as they are stored, which may be
 * more than the state shows. The data version moves on its own.
 */
export function updateState(call: StoreCall, changes: StateChanges): CoordinatorState {
  const columns: Readonly<Record<string, string | undefined>> = COLUMNS;
  const entries = Object.entries(changes).map(([field, value]) => toAssignment(columns[field], value));
  const assignments = [...entries.map(({ column }) => `${column} = ?`), 'updated_at = ?'].join(', ');
  call.database
    .prepare(`UPDATE local_sync_coordinator_state SET ${assignments} WHERE coordinator_id = 'local-sync'`)
    .run([...entries.map(({ value }) => value), call.now]);
  return decodeState(mustGetStateRow(call));
}

function toAssignment(
  column: string | undefined,
  value: StateChanges[keyof StateChanges],
): { readonly column: string; readonly value: SqlValue } {
  if (column === undefined) throw new TypeError('a field of the state without a column');
  if (column.endsWith('_json')) return { column, value: toJsonColumn(value) };
  return { column, value: value as SqlValue }; // the others are text or integers
}

/** Guarded on the fence it is called under; says where it differs when it does not hold. */
export function advanceDataVersion(
  database: Database,
  { workspaceId, expectedCoordinatorGeneration }: AdvanceLocalDataVersionInput,
  now: string,
): number {
  const moved = readForUpdate(database, ADVANCE_DATA_VERSION, [
    now,
    expectedCoordinatorGeneration,
    workspaceId,
  ]);
  if (moved !== undefined) return readInteger(moved, 'local_data_version');
  const row = readForUpdate(database, SELECT);
  const generation = row?.['coordinator_generation'] ?? 0;
  if (generation !== expectedCoordinatorGeneration) {
    refuse(STORE_CODES.STALE_GENERATION, 'The data belongs to another generation.', {
      expected: generation,
      actual: expectedCoordinatorGeneration,
    });
  }
  return refuse(STORE_CODES.INACTIVE_WORKSPACE, `Workspace "${workspaceId}" is not active.`, {
    expected: row?.['active_workspace_id'] ?? null,
    actual: workspaceId,
  });
}

/** The state as JSON, for results that carry it. */
export function toStateJson(state: CoordinatorState): Json {
  return { ...state };
}

export function decodeState(row: Row): CoordinatorState {
  return {
    activeWorkspaceId: readFilledText(row, 'active_workspace_id'),
    coordinatorGeneration: readInteger(row, 'coordinator_generation'),
    localDataVersion: readInteger(row, 'local_data_version'),
    ownershipMode: readOneOf(row, 'ownership_mode', OWNERSHIP_MODES),
    desiredOwnershipMode: readOneOf(row, 'desired_ownership_mode', OWNER_MODES),
    transitionState: readOneOf(row, 'transition_state', TRANSITION_STATES),
    acceptedSwitchCommandId: readFilledText(row, 'accepted_switch_command_id'),
    targetWorkspaceId: readFilledText(row, 'target_workspace_id'),
    requestedBy: parseRequestedBy(readJsonOrNull(row, 'requested_by_json')),
    terminalSwitchResult: readJsonOrNull(row, 'terminal_switch_result_json'),
    terminalTransferResult: parseTerminalTransfer(readJsonOrNull(row, 'terminal_transfer_result_json')),
    acceptedTransferCommandId: readFilledText(row, 'accepted_transfer_command_id'),
    transferTargetMode: readOptionalOneOf(row, 'transfer_target_mode', OWNER_MODES),
    transferPhase: readOptionalOneOf(row, 'transfer_phase', TRANSFER_PHASES),
    transferVersion: row['transfer_version'] === null ? null : readInteger(row, 'transfer_version'),
    updatedAt: readText(row, 'updated_at'),
  };
}

/** Empty text says as little as none. */
export function readFilledText(row: Row, column: string): string | null {
  return readOptionalText(row, column) || null;
}
