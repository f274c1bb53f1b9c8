import type { CommandRecord } from '../../../src/domain/command';
import { collectCommandReferences } from '../../../src/domain/command-references';
import {
  COMMAND_STATUSES,
  COMMAND_TYPES,
  TERMINAL_COMMAND_STATUSES,
  type CommandStatus,
} from '../../../src/domain/coordinator-vocabulary';
import type { RequestedBy } from '../../../src/domain/coordinator-state';
import { STORE_CODES } from '../../../src/domain/error-codes';
import type { Json } from '../../../src/domain/json';
import { refuse } from '../../../src/domain/refuse';
import type { Row, SqlParams } from '../../database';
import { decodeAll, decodeOrQuarantine } from '../quarantine';
import { readInteger, readJson, readOneOf, readOptionalText, readText, toJsonColumn } from '../row-reader';
import { readAllForUpdate, readForUpdate, type StoreCall } from '../store-call';

const TABLE = 'local_sync_coordinator_commands';

/** Every column a command is read from. */
export const COMMAND_COLUMNS = `arrival, command_id, workspace_id, expected_coordinator_generation, command_type,
  command_version, args_json, canonical_fingerprint, requested_by_json, requested_at, status, started_at, completed_at,
  result_json, error_code, error_message, updated_at, claim_token`;

const SELECT = `SELECT ${COMMAND_COLUMNS} FROM local_sync_coordinator_commands WHERE command_id = ?`;

const INSERT = `INSERT INTO local_sync_coordinator_commands (
    command_id, workspace_id, expected_coordinator_generation, command_type, command_version, args_json,
    canonical_fingerprint, requested_by_json, requested_at, status, completed_at, result_json, updated_at
  ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const MOVE = `UPDATE local_sync_coordinator_commands
  SET status = ?, expected_coordinator_generation = ?, started_at = ?, completed_at = ?, result_json = ?,
    error_code = ?, error_message = ?, updated_at = ?, claim_token = ?
  WHERE command_id = ? AND status = ?`;

const REFRESH_ACCEPTED = `UPDATE local_sync_coordinator_commands
  SET expected_coordinator_generation = ?, updated_at = ? WHERE command_id = ? AND status = 'accepted'`;

const REFER = `INSERT INTO local_sync_command_references (referenced_command_id, command_id) VALUES (?, ?)
  ON CONFLICT DO NOTHING`;

export interface StoredCommand {
  readonly record: CommandRecord;
  /** Its place in the order of insertion. */
  readonly arrival: number;
  readonly claimToken: string | null;
}

/** As it was given, complete or not: an envelope is kept whole. Null for what is no object. */
function readRequester(row: Row): RequestedBy | null {
  const value = readJson(row, 'requested_by_json');
  const isObjectOrNull = typeof value === 'object' && !Array.isArray(value);
  return isObjectOrNull ? (value as unknown as RequestedBy | null) : null; // the shape a typed caller has given
}

function decodeStored(row: Row): StoredCommand {
  return {
    arrival: readInteger(row, 'arrival'),
    claimToken: readOptionalText(row, 'claim_token'),
    record: {
      commandId: readText(row, 'command_id'),
      workspaceId: readOptionalText(row, 'workspace_id'),
      expectedCoordinatorGeneration: readInteger(row, 'expected_coordinator_generation'),
      type: readOneOf(row, 'command_type', COMMAND_TYPES),
      version: readInteger(row, 'command_version'),
      args: readJson(row, 'args_json'),
      canonicalFingerprint: readText(row, 'canonical_fingerprint'),
      requestedBy: readRequester(row),
      requestedAt: readText(row, 'requested_at'),
      status: readOneOf(row, 'status', COMMAND_STATUSES),
      startedAt: readOptionalText(row, 'started_at'),
      completedAt: readOptionalText(row, 'completed_at'),
      result: readJson(row, 'result_json'),
      errorCode: readOptionalText(row, 'error_code'),
      errorMessage: readOptionalText(row, 'error_message'),
      updatedAt: readText(row, 'updated_at'),
    },
  };
}

export function findCommand(call: StoreCall, commandId: string): StoredCommand | null {
  const row = readForUpdate(call.database, SELECT, [commandId]);
  return row === undefined ? null : (decodeOrQuarantine(call, TABLE, row, decodeStored) ?? null);
}

/** The commands of a SELECT over COMMAND_COLUMNS, in its order. */
export function readCommands(call: StoreCall, sql: string, params: SqlParams = []): readonly StoredCommand[] {
  return decodeAll(call, TABLE, readAllForUpdate(call.database, sql, params), decodeStored);
}

/** The first readable command of such a SELECT; the unreadable ones before it are moved out of the way. */
export function findFirstCommand(call: StoreCall, sql: string, params: SqlParams): StoredCommand | null {
  for (;;) {
    const row = readForUpdate(call.database, sql, params);
    if (row === undefined) return null;
    const command = decodeOrQuarantine(call, TABLE, row, decodeStored);
    if (command !== undefined) return command;
  }
}

export function insertCommand(call: StoreCall, record: CommandRecord): void {
  call.database
    .prepare(INSERT)
    .run([
      record.commandId,
      record.workspaceId,
      record.expectedCoordinatorGeneration,
      record.type,
      record.version,
      toJsonColumn(record.args),
      record.canonicalFingerprint,
      toJsonColumn(record.requestedBy) ?? 'null',
      record.requestedAt,
      record.status,
      record.completedAt,
      toJsonColumn(record.result),
      record.updatedAt,
    ]);
  writeReferences(call, record.commandId, record.result);
}

export function isTerminal(status: CommandStatus): boolean {
  const terminal: readonly CommandStatus[] = TERMINAL_COMMAND_STATUSES;
  return terminal.includes(status);
}

export interface CommandMove extends Partial<
  Pick<CommandRecord, 'expectedCoordinatorGeneration' | 'result' | 'errorCode' | 'errorMessage'>
> {
  readonly status: CommandStatus;
  /** The token of a claim; any other move takes an earlier one away. */
  readonly claimToken?: string;
}

/**
 * Moves a command that was just read, guarded on the status it was read in. What the move does not name stays; when
 * it started is kept from its first start on.
 */
export function moveCommand(call: StoreCall, record: CommandRecord, move: CommandMove): CommandRecord {
  const { claimToken, ...fields } = move;
  const moved: CommandRecord = {
    ...record,
    ...fields,
    startedAt: move.status === 'running' ? (record.startedAt ?? call.now) : record.startedAt,
    completedAt: isTerminal(move.status) ? call.now : null,
    updatedAt: call.now,
  };
  const { changes } = call.database
    .prepare(MOVE)
    .run([
      moved.status,
      moved.expectedCoordinatorGeneration,
      moved.startedAt,
      moved.completedAt,
      toJsonColumn(moved.result),
      moved.errorCode,
      moved.errorMessage,
      moved.updatedAt,
      claimToken ?? null,
      record.commandId,
      record.status,
    ]);
  if (changes !== 1) {
    refuse(STORE_CODES.COMMAND_INVALID, 'The command was moved by somebody else meanwhile.', {
      expected: record.status,
      actual: findCommand(call, record.commandId)?.record.status ?? null,
    });
  }
  writeReferences(call, record.commandId, moved.result);
  return moved;
}

/** Lets a command live on under another generation where it still waits; any other stays as it is. */
export function refreshAcceptedCommand(call: StoreCall, commandId: string, generation: number): void {
  call.database.prepare(REFRESH_ACCEPTED).run([generation, call.now, commandId]);
}

/** Notes which commands a result names, so that they are kept as long as it is. */
function writeReferences(call: StoreCall, commandId: string, result: Json): void {
  for (const referenced of collectCommandReferences(result)) {
    if (referenced !== commandId) call.database.prepare(REFER).run([referenced, commandId]);
  }
}
