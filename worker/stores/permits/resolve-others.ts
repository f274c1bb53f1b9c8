import { assertSteadyState } from '../../../src/domain/admission';
import { assertDistinctIds } from '../../../src/domain/completion-checks';
import { STORE_CODES } from '../../../src/domain/error-codes';
import { assertDispatchSettles, mustExist } from '../../../src/domain/obligation-resolution';
import type {
  Obligation,
  RepairInspection,
  RepairResolution,
  ResolveDispatchInput,
  ResolveRepairInput,
} from '../../../src/domain/recovery-obligation';
import { refuse } from '../../../src/domain/refuse';
import { readAdmission } from '../coordinator/admission-row';
import { readForUpdate, type StoreCall } from '../store-call';
import { countActivePermits, countOpenObligations } from './inspect-permits';
import {
  FROM_OBLIGATIONS_WITH_ORIGIN,
  OBLIGATION_ORDER,
  ORIGIN_GENERATION,
  findObligationWithOrigin,
  readObligationsWithOrigin,
  resolveObligation,
} from './obligation-rows';

/** What a repair that takes the upstream's word for everything makes good: refetches, and pushes to replay. */
const REPAIRABLE = `o.resolved_at IS NULL AND (
    o.operation_class IN ('pull', 'repair')
    OR (o.operation_class = 'push' AND o.required_action = 'replay-operation-then-reconcile'))`;
const COUNT_REPAIRABLE = `SELECT count(*) AS total, coalesce(sum(o.operation_class = 'push'), 0) AS pushes
  FROM local_sync_recovery_obligations o WHERE o.workspace_id = ? AND ${REPAIRABLE}`;
const SELECT_REPAIRABLE = `${FROM_OBLIGATIONS_WITH_ORIGIN}
  WHERE o.workspace_id = ? AND ${REPAIRABLE} AND ${ORIGIN_GENERATION} <= ? ${OBLIGATION_ORDER}`;
const SELECT_OPEN_DISPATCH = `SELECT 1 AS found FROM local_sync_recovery_obligations
  WHERE workspace_id = ? AND operation_class = 'v3-dispatch' AND resolved_at IS NULL LIMIT 1`;

/** Resolves dispatches that were replayed by hand, each by the evidence given for it. */
export function resolveDispatches(call: StoreCall, input: ResolveDispatchInput): readonly Obligation[] {
  assertSteadyState(readAdmission(call), input);
  assertDistinctIds(
    input.resolutions.map((resolution) => resolution.obligationId),
    'obligation ids',
  );
  const checked = input.resolutions.map((resolution) => {
    const { obligationId, resolvedBoundary } = resolution;
    const found = mustExist(findObligationWithOrigin(call, obligationId), obligationId);
    assertDispatchSettles(found, input, resolution);
    return { obligation: found.obligation, resolvedBoundary };
  });
  return checked.map(({ obligation, resolvedBoundary }) =>
    resolveObligation(call, obligation, resolvedBoundary),
  );
}

export function inspectRepairable(call: StoreCall, workspaceId: string): RepairInspection {
  const row = readForUpdate(call.database, COUNT_REPAIRABLE, [workspaceId]);
  return { total: Number(row?.['total']), requiresV2PushReplay: Number(row?.['pushes']) > 0 }; // a count always has its row
}

/** Resolves everything that a repair from the upstream's whole state has made good. */
export function resolveByRepair(call: StoreCall, input: ResolveRepairInput): RepairResolution {
  const { workspaceId, coordinatorGeneration, repairId, stateSignatureSha256 } = input;
  assertSteadyState(readAdmission(call), input);
  const active = countActivePermits(call, workspaceId);
  const hasDispatch = readForUpdate(call.database, SELECT_OPEN_DISPATCH, [workspaceId]) !== undefined;
  if (active > 0 || hasDispatch) {
    refuse(STORE_CODES.PERMIT_STATE_CONFLICT, 'The workspace has work that a repair cannot settle.', {
      expected: 'no active permit and no open v3-dispatch obligation',
      actual: { active, hasDispatch },
    });
  }
  const evidence = {
    version: 1,
    kind: 'authoritative-repair',
    repairId,
    stateSignatureSha256,
    coordinatorGeneration,
    completedAt: call.now,
  };
  const found = readObligationsWithOrigin(call, SELECT_REPAIRABLE, [workspaceId, coordinatorGeneration]);
  for (const { obligation } of found) resolveObligation(call, obligation, evidence);
  return { resolved: found.length, remaining: countOpenObligations(call, workspaceId) };
}
