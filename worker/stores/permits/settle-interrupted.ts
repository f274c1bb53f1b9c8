import { ROW_CODES, STORE_CODES } from '../../../src/domain/error-codes';
import type { Permit, SettleInterruptedInput } from '../../../src/domain/permit';
import { refuse } from '../../../src/domain/refuse';
import type { StoreCall } from '../store-call';
import { tryAbandon } from './abandon';
import { findPermit, movePermit } from './permit-rows';

/**
 * Says how a local commit ended that was cut short: the only way out of `local-commit-entered` when the apply cannot
 * be completed. The evidence is kept on the row.
 */
export function settleInterruptedLocalCommit(call: StoreCall, input: SettleInterruptedInput): Permit {
  const { permitId, workspaceId, outcome, evidence } = input;
  const permit = findPermit(call, permitId);
  if (permit === null) {
    return refuse(STORE_CODES.PERMIT_NOT_FOUND, `There is no permit "${permitId}".`, {
      expected: permitId,
      actual: null,
    });
  }
  if (permit.workspaceId !== workspaceId) {
    refuse(STORE_CODES.INACTIVE_WORKSPACE, 'The permit belongs to another workspace.', {
      expected: permit.workspaceId,
      actual: workspaceId,
    });
  }
  if (permit.completedAt !== null) return permit;
  if (permit.state !== 'local-commit-entered') {
    refuse(STORE_CODES.PERMIT_STATE_CONFLICT, 'The permit is not in local commit.', {
      expected: 'local-commit-entered',
      actual: permit.state,
    });
  }
  if (outcome === 'committed')
    return movePermit(call, permit, { to: 'released', settlementEvidence: evidence });
  const settled = tryAbandon(call, permit, {
    by: 'settle-not-committed',
    errorCode: ROW_CODES.LOCAL_COMMIT_SETTLED,
    settlementEvidence: evidence,
  });
  return (
    settled ??
    refuse(STORE_CODES.PERMIT_STATE_CONFLICT, 'A local commit of this kind cannot be settled.', {
      expected: 'an accepted answer or a local apply',
      actual: permit.upstreamDisposition,
    })
  );
}
