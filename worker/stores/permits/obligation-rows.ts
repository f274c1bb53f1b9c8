import type { Json } from '../../../src/domain/json';
import { mustExist, type ObligationWithOrigin } from '../../../src/domain/obligation-resolution';
import type { Permit } from '../../../src/domain/permit';
import {
  OPERATION_CLASSES,
  REQUIRED_ACTIONS,
  UPSTREAM_DISPOSITIONS,
  type RequiredAction,
  type UpstreamDisposition,
} from '../../../src/domain/permit-vocabulary';
import type { Obligation } from '../../../src/domain/recovery-obligation';
import type { Row, SqlParams } from '../../database';
import { decodeAll, decodeOrQuarantine } from '../quarantine';
import {
  UnreadableRowError,
  readInteger,
  readJson,
  readOneOf,
  readOptionalText,
  readText,
  toJsonColumn,
} from '../row-reader';
import { readAllForUpdate, readForUpdate, type StoreCall } from '../store-call';

const TABLE = 'local_sync_recovery_obligations';

/** The columns of an obligation `o`. */
export const OBLIGATION_COLUMNS = `o.arrival, o.obligation_id, o.permit_id, o.workspace_id, o.operation_class,
  o.operation_identity, o.upstream_disposition, o.last_committed_cursor_json, o.required_action, o.created_at,
  o.resolved_at, o.resolved_boundary_json, o.stream`;

/**
 * Obligations `o` with what decides about them of the permit `p` they came from. Where that is gone or unreadable, the
 * obligation speaks for itself, as one of the oldest generation: it must stay resolvable.
 */
export const FROM_OBLIGATIONS_WITH_ORIGIN = `SELECT ${OBLIGATION_COLUMNS}, p.coordinator_generation AS origin_generation,
    p.operation_identity AS origin_identity, p.last_committed_cursor_json AS origin_cursor_json
  FROM local_sync_recovery_obligations o LEFT JOIN local_sync_execution_permits p ON p.permit_id = o.permit_id`;

/** To be compared with the generation of whoever resolves. */
export const ORIGIN_GENERATION = 'coalesce(p.coordinator_generation, 0)';

/** Obligations are told in the order they came about. */
export const OBLIGATION_ORDER = 'ORDER BY o.created_at, o.arrival';

const SELECT_WITH_ORIGIN = `${FROM_OBLIGATIONS_WITH_ORIGIN} WHERE o.obligation_id = ?`;

const INSERT = `INSERT INTO local_sync_recovery_obligations (
    obligation_id, permit_id, workspace_id, operation_class, operation_identity, upstream_disposition,
    last_committed_cursor_json, required_action, created_at, stream
  ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const RESOLVE = `UPDATE local_sync_recovery_obligations SET resolved_at = ?, resolved_boundary_json = ?
  WHERE obligation_id = ? AND resolved_at IS NULL`;

function decodeObligation(row: Row): Obligation {
  return {
    obligationId: readText(row, 'obligation_id'),
    permitId: readText(row, 'permit_id'),
    workspaceId: readText(row, 'workspace_id'),
    operationClass: readOneOf(row, 'operation_class', OPERATION_CLASSES),
    operationIdentity: readOptionalText(row, 'operation_identity'),
    upstreamDisposition: readOneOf(row, 'upstream_disposition', UPSTREAM_DISPOSITIONS),
    lastCommittedCursor: readJson(row, 'last_committed_cursor_json'),
    requiredAction: readOneOf(row, 'required_action', REQUIRED_ACTIONS),
    createdAt: readText(row, 'created_at'),
    resolvedAt: readOptionalText(row, 'resolved_at'),
    resolvedBoundary: readJson(row, 'resolved_boundary_json'),
    stream: readText(row, 'stream'),
  };
}

function decodeWithOrigin(row: Row): ObligationWithOrigin {
  const obligation = decodeObligation(row);
  return { obligation, origin: findOrigin(row) ?? { ...obligation, coordinatorGeneration: 0 } };
}

function findOrigin(row: Row): ObligationWithOrigin['origin'] | undefined {
  try {
    return {
      coordinatorGeneration: readInteger(row, 'origin_generation'),
      operationIdentity: readOptionalText(row, 'origin_identity'),
      lastCommittedCursor: readJson(row, 'origin_cursor_json'),
    };
  } catch (error) {
    if (error instanceof UnreadableRowError) return undefined;
    throw error;
  }
}

export function findObligationWithOrigin(call: StoreCall, obligationId: string): ObligationWithOrigin | null {
  const row = readForUpdate(call.database, SELECT_WITH_ORIGIN, [obligationId]);
  return row === undefined ? null : (decodeOrQuarantine(call, TABLE, row, decodeWithOrigin) ?? null);
}

/** The obligations of a SELECT over OBLIGATION_COLUMNS, in its order. */
export function readObligations(call: StoreCall, sql: string, params: SqlParams): readonly Obligation[] {
  return decodeAll(call, TABLE, readAllForUpdate(call.database, sql, params), decodeObligation);
}

export function readObligationsWithOrigin(
  call: StoreCall,
  sql: string,
  params: SqlParams,
): readonly ObligationWithOrigin[] {
  return decodeAll(call, TABLE, readAllForUpdate(call.database, sql, params), decodeWithOrigin);
}

/** Writes the obligation of a permit that is being abandoned. */
export function insertObligation(
  call: StoreCall,
  permit: Permit,
  what: { readonly upstreamDisposition: UpstreamDisposition; readonly requiredAction: RequiredAction },
): void {
  call.database
    .prepare(INSERT)
    .run([
      call.newId(),
      permit.permitId,
      permit.workspaceId,
      permit.operationClass,
      permit.operationIdentity,
      what.upstreamDisposition,
      toJsonColumn(permit.lastCommittedCursor),
      what.requiredAction,
      call.now,
      permit.stream,
    ]);
}

/** Resolves an obligation if it is open, and gives it back as it is stored: once resolved it keeps its evidence. */
export function resolveObligation(call: StoreCall, { obligationId }: Obligation, evidence: Json): Obligation {
  call.database.prepare(RESOLVE).run([call.now, toJsonColumn(evidence), obligationId]);
  return mustExist(findObligationWithOrigin(call, obligationId), obligationId).obligation;
}
