import { findAbandonment, type Abandonment } from '../../../src/domain/abandonment';
import { ROW_CODES, STORE_CODES } from '../../../src/domain/error-codes';
import type { AbandonInput, AbandonmentCounts, Permit } from '../../../src/domain/permit';
import type { PermitMeans } from '../../../src/domain/permit-machine';
import { refuse } from '../../../src/domain/refuse';
import { toJsonColumn } from '../row-reader';
import { readForUpdate, type StoreCall } from '../store-call';
import { insertObligation } from './obligation-rows';
import { movePermit, mustGetFenced } from './permit-rows';
import { settleRejectedMutation } from './settle-replays';

/** What is required follows from class and identity. */
const SELECT_EQUAL_OPEN = `SELECT 1 AS found
  FROM local_sync_recovery_obligations o JOIN local_sync_execution_permits p ON p.permit_id = o.permit_id
  WHERE o.workspace_id = ? AND o.operation_class = ? AND o.operation_identity IS ? AND o.resolved_at IS NULL
    AND o.upstream_disposition = ? AND o.last_committed_cursor_json IS ? AND o.stream = ? AND p.error_code = ?
  LIMIT 1`;

export interface AbandonReason {
  readonly by: PermitMeans;
  readonly errorCode: string;
  readonly settlementEvidence?: Permit['settlementEvidence'];
}

/** Ends a permit unfinished, with an obligation where its fate is open; undefined where it cannot be ended so. */
export function tryAbandon(call: StoreCall, permit: Permit, reason: AbandonReason): Permit | undefined {
  const abandonment = findAbandonment(permit, reason.by, reason.errorCode);
  if (abandonment === undefined) return undefined;
  const isObliged = writeObligation(call, permit, abandonment, reason.errorCode);
  settleRejectedMutation(call, permit);
  return movePermit(call, permit, {
    to: abandonment.to,
    errorCode: reason.errorCode,
    settlementEvidence: reason.settlementEvidence ?? null,
    isObliged,
  });
}

/** The holder's own word that nothing more will come of a permit. Repeating it changes nothing. */
export function abandonPermit(call: StoreCall, input: AbandonInput): Permit {
  const permit = mustGetFenced(call, input);
  if (permit.completedAt !== null) return permit;
  const errorCode = input.errorCode ?? ROW_CODES.PERMIT_ABANDONED;
  return (
    tryAbandon(call, permit, { by: 'abandon', errorCode }) ??
    refuse(STORE_CODES.PERMIT_STATE_CONFLICT, `A permit in ${permit.state} cannot be abandoned.`, {
      expected: 'issued-idle or gateway-complete-awaiting-apply',
      actual: permit.state,
    })
  );
}

/** Abandons each and counts how they ended; what cannot be ended by these means is passed over. */
export function abandonAll(
  call: StoreCall,
  permits: readonly Permit[],
  reason: AbandonReason,
): AbandonmentCounts {
  const counts = { clean: 0, reconcileRequired: 0 };
  for (const permit of permits) {
    const ended = tryAbandon(call, permit, reason);
    if (ended?.state === 'abandoned-clean') counts.clean += 1;
    if (ended?.state === 'abandoned-reconcile-required') counts.reconcileRequired += 1;
  }
  return counts;
}

function writeObligation(
  call: StoreCall,
  permit: Permit,
  abandonment: Abandonment,
  errorCode: string,
): boolean {
  if (abandonment.to === 'abandoned-clean') return false;
  if (abandonment.coalesces && hasEqualOpen(call, permit, abandonment, errorCode)) return false;
  insertObligation(call, permit, abandonment);
  return true;
}

function hasEqualOpen(
  call: StoreCall,
  permit: Permit,
  what: Extract<Abandonment, { to: 'abandoned-reconcile-required' }>,
  errorCode: string,
): boolean {
  const found = readForUpdate(call.database, SELECT_EQUAL_OPEN, [
    permit.workspaceId,
    permit.operationClass,
    permit.operationIdentity,
    what.upstreamDisposition,
    toJsonColumn(permit.lastCommittedCursor),
    permit.stream,
    errorCode,
  ]);
  return found !== undefined;
}
