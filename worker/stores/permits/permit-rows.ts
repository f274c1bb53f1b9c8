import { OWNER_MODES } from '../../../src/domain/coordinator-vocabulary';
import { STORE_CODES } from '../../../src/domain/error-codes';
import type { Fence, Permit } from '../../../src/domain/permit';
import { mustMatchFence } from '../../../src/domain/permit-fence';
import {
  OPERATION_CLASSES,
  PERMIT_STATES,
  TERMINAL_PERMIT_STATES,
  UPSTREAM_DISPOSITIONS,
  type PermitState,
} from '../../../src/domain/permit-vocabulary';
import { refuse } from '../../../src/domain/refuse';
import type { Row, SqlParams } from '../../database';
import { decodeAll, decodeOrQuarantine } from '../quarantine';
import {
  readInteger,
  readJson,
  readOneOf,
  readOptionalOneOf,
  readOptionalText,
  readText,
  toJsonColumn,
} from '../row-reader';
import { readAllForUpdate, readForUpdate, type StoreCall } from '../store-call';

const TABLE = 'local_sync_execution_permits';

/** Every column a permit is read from, for SELECTs of other files too. */
export const PERMIT_COLUMNS = `permit_id, workspace_id, coordinator_generation, server_instance_id, owner_mode,
  operation_class, operation_identity, last_committed_cursor_json, state, upstream_disposition, issued_at, deadline_at,
  last_transition_at, completed_at, error_code, holder_id, stream, settlement_evidence_json, issued_deadline_at`;

const SELECT = `SELECT ${PERMIT_COLUMNS} FROM local_sync_execution_permits WHERE permit_id = ?`;

const INSERT = `INSERT INTO local_sync_execution_permits (
    permit_id, workspace_id, coordinator_generation, server_instance_id, owner_mode, operation_class,
    operation_identity, last_committed_cursor_json, state, upstream_disposition, issued_at, deadline_at,
    last_transition_at, holder_id, stream
  ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const MOVE = `UPDATE local_sync_execution_permits
  SET state = ?, upstream_disposition = ?, operation_identity = ?, error_code = ?, last_transition_at = ?,
    completed_at = ?, settlement_evidence_json = ?, is_obliged = ?
  WHERE permit_id = ? AND state = ?`;

export interface StoredPermit {
  readonly permit: Permit;
  /** The deadline asked for at issue, whatever renewals made of it. */
  readonly issuedDeadlineAt: string;
}

function decodeStored(row: Row): StoredPermit {
  const permit: Permit = {
    permitId: readText(row, 'permit_id'),
    workspaceId: readText(row, 'workspace_id'),
    coordinatorGeneration: readInteger(row, 'coordinator_generation'),
    serverInstanceId: readText(row, 'server_instance_id'),
    ownerMode: readOneOf(row, 'owner_mode', OWNER_MODES),
    operationClass: readOneOf(row, 'operation_class', OPERATION_CLASSES),
    operationIdentity: readOptionalText(row, 'operation_identity'),
    lastCommittedCursor: readJson(row, 'last_committed_cursor_json'),
    state: readOneOf(row, 'state', PERMIT_STATES),
    upstreamDisposition: readOptionalOneOf(row, 'upstream_disposition', UPSTREAM_DISPOSITIONS),
    issuedAt: readText(row, 'issued_at'),
    deadlineAt: readText(row, 'deadline_at'),
    lastTransitionAt: readText(row, 'last_transition_at'),
    completedAt: readOptionalText(row, 'completed_at'),
    errorCode: readOptionalText(row, 'error_code'),
    holderId: readOptionalText(row, 'holder_id'),
    stream: readText(row, 'stream'),
    settlementEvidence: readJson(row, 'settlement_evidence_json'),
  };
  return { permit, issuedDeadlineAt: readOptionalText(row, 'issued_deadline_at') ?? permit.deadlineAt };
}

export function decodePermit(row: Row): Permit {
  return decodeStored(row).permit;
}

export function findStoredPermit(call: StoreCall, permitId: string): StoredPermit | null {
  const row = readForUpdate(call.database, SELECT, [permitId]);
  return row === undefined ? null : (decodeOrQuarantine(call, TABLE, row, decodeStored) ?? null);
}

export function findPermit(call: StoreCall, permitId: string): Permit | null {
  return findStoredPermit(call, permitId)?.permit ?? null;
}

/** The permit a fence names, or the refusal that says where they differ. */
export function mustGetFenced(call: StoreCall, fence: Fence): Permit {
  return mustMatchFence(findPermit(call, fence.permitId), fence);
}

/** The permits of a SELECT over PERMIT_COLUMNS, in its order. */
export function readPermits(call: StoreCall, sql: string, params: SqlParams): readonly Permit[] {
  return decodeAll(call, TABLE, readAllForUpdate(call.database, sql, params), decodePermit);
}

export function insertPermit(call: StoreCall, permit: Permit): void {
  call.database
    .prepare(INSERT)
    .run([
      permit.permitId,
      permit.workspaceId,
      permit.coordinatorGeneration,
      permit.serverInstanceId,
      permit.ownerMode,
      permit.operationClass,
      permit.operationIdentity,
      toJsonColumn(permit.lastCommittedCursor),
      permit.state,
      permit.upstreamDisposition,
      permit.issuedAt,
      permit.deadlineAt,
      permit.lastTransitionAt,
      permit.holderId,
      permit.stream,
    ]);
}

const terminalStates: readonly PermitState[] = TERMINAL_PERMIT_STATES;

export interface PermitMove extends Partial<
  Pick<Permit, 'upstreamDisposition' | 'operationIdentity' | 'errorCode' | 'settlementEvidence'>
> {
  readonly to: PermitState;
  /** Whether an obligation was written for it. */
  readonly isObliged?: boolean;
}

/** Moves a permit that was just read, guarded on the state it was read in. What the move does not name stays. */
export function movePermit(call: StoreCall, permit: Permit, move: PermitMove): Permit {
  const { to, isObliged = false, ...fields } = move;
  const moved: Permit = {
    ...permit,
    ...fields,
    state: to,
    lastTransitionAt: call.now,
    completedAt: terminalStates.includes(to) ? call.now : null,
  };
  const { changes } = call.database
    .prepare(MOVE)
    .run([
      moved.state,
      moved.upstreamDisposition,
      moved.operationIdentity,
      moved.errorCode,
      moved.lastTransitionAt,
      moved.completedAt,
      toJsonColumn(moved.settlementEvidence),
      isObliged ? 1 : 0,
      permit.permitId,
      permit.state,
    ]);
  if (changes === 1) return moved;
  return refuse(STORE_CODES.PERMIT_STATE_CONFLICT, 'The permit was moved by somebody else meanwhile.', {
    expected: permit.state,
    actual: findPermit(call, permit.permitId)?.state ?? null,
  });
}
