import type { DrainInspection, DrainScope, PermitSummary } from '../../../src/domain/permit';
import { mustBeLimit } from '../../../src/domain/limit';
import { ACTIVE_PERMIT_STATES, type ActivePermitState } from '../../../src/domain/permit-vocabulary';
import type { Obligation } from '../../../src/domain/recovery-obligation';
import type { SqlParams } from '../../database';
import { readForUpdate, type StoreCall } from '../store-call';
import type { BlockedWorkspaces } from './blocked-workspaces';
import { OBLIGATION_COLUMNS, OBLIGATION_ORDER, ORIGIN_GENERATION, readObligations } from './obligation-rows';
import { PERMIT_COLUMNS, readPermits } from './permit-rows';

/** A drain shows at most this many permits. */
const DRAIN_LIMIT_MAX = 500;
const DRAIN_LIMIT_DEFAULT = 100;

const COUNT_BY_STATE = `SELECT state, count(*) AS permits FROM local_sync_execution_permits
  WHERE workspace_id = ? AND completed_at IS NULL GROUP BY state`;
const COUNT_GENERATION_BY_STATE = `SELECT state, count(*) AS permits FROM local_sync_execution_permits
  WHERE workspace_id = ? AND coordinator_generation = ? AND completed_at IS NULL GROUP BY state`;
const COUNT_NEVER_STARTED = `SELECT count(*) AS permits FROM local_sync_execution_permits
  WHERE workspace_id = ? AND coordinator_generation = ? AND state = 'issued-idle'
    AND upstream_disposition = 'not-started' AND completed_at IS NULL`;
const LIST_GENERATION = `SELECT ${PERMIT_COLUMNS} FROM local_sync_execution_permits
  WHERE workspace_id = ? AND coordinator_generation = ? AND completed_at IS NULL
  ORDER BY issued_at, permit_id LIMIT ?`;
const COUNT_OPEN = `SELECT count(*) AS obligations FROM local_sync_recovery_obligations
  WHERE workspace_id = ? AND resolved_at IS NULL`;
const COUNT_OPEN_OF_GENERATION = `SELECT count(*) AS obligations
  FROM local_sync_recovery_obligations o LEFT JOIN local_sync_execution_permits p ON p.permit_id = o.permit_id
  WHERE o.workspace_id = ? AND o.resolved_at IS NULL AND ${ORIGIN_GENERATION} = ?`;
const LIST_OPEN = `SELECT ${OBLIGATION_COLUMNS} FROM local_sync_recovery_obligations o
  WHERE o.workspace_id = ? AND o.resolved_at IS NULL ${OBLIGATION_ORDER}`;

export function summarizeWorkspace(
  call: StoreCall,
  blocked: BlockedWorkspaces,
  workspaceId: string,
): PermitSummary {
  const { active, byState } = countByState(call, COUNT_BY_STATE, [workspaceId]);
  return {
    active,
    byState,
    recoveryObligations: countOpenObligations(call, workspaceId),
    localCommitInvariantViolation: blocked.has(call, workspaceId),
  };
}

/** What still has to end before a generation is drained. */
export function inspectGenerationDrain(call: StoreCall, scope: DrainScope): DrainInspection {
  const { workspaceId, coordinatorGeneration } = scope;
  const limit = mustBeDrainLimit(scope);
  const generation = [workspaceId, coordinatorGeneration];
  const { active, byState } = countByState(call, COUNT_GENERATION_BY_STATE, generation);
  return {
    workspaceId,
    coordinatorGeneration,
    active,
    byState,
    permits: readPermits(call, LIST_GENERATION, [...generation, limit]),
    truncated: active > limit,
    cleanAbandonEligible: countNeverStarted(call, scope),
    recoveryObligations: readCount(call, COUNT_OPEN_OF_GENERATION, generation, 'obligations'),
  };
}

export function mustBeDrainLimit({ limit = DRAIN_LIMIT_DEFAULT }: DrainScope): number {
  return mustBeLimit(limit, DRAIN_LIMIT_MAX);
}

/** The permits of a generation that never started. */
export function countNeverStarted(call: StoreCall, scope: DrainScope): number {
  return readCount(call, COUNT_NEVER_STARTED, [scope.workspaceId, scope.coordinatorGeneration], 'permits');
}

export function countOpenObligations(call: StoreCall, workspaceId: string): number {
  return readCount(call, COUNT_OPEN, [workspaceId], 'obligations');
}

/** The active permits of a workspace, of every generation. */
export function countActivePermits(call: StoreCall, workspaceId: string): number {
  return countByState(call, COUNT_BY_STATE, [workspaceId]).active;
}

export function listOpenObligations(call: StoreCall, workspaceId: string): readonly Obligation[] {
  return readObligations(call, LIST_OPEN, [workspaceId]);
}

function countByState(call: StoreCall, sql: string, params: SqlParams) {
  const byState: Partial<Record<ActivePermitState, number>> = {};
  let active = 0;
  for (const row of call.database.prepare(sql).all(params)) {
    const permits = Number(row['permits']);
    const state = ACTIVE_PERMIT_STATES.find((member) => member === row['state']);
    active += permits;
    if (state !== undefined) byState[state] = permits;
  }
  return { active, byState };
}

function readCount(call: StoreCall, sql: string, params: SqlParams, column: string): number {
  return Number(readForUpdate(call.database, sql, params)?.[column]); // a count always has its row
}
