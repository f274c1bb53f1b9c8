import { isSteady } from '../../../src/domain/admission';
import { assertMay, assertOwner } from '../../../src/domain/completion-checks';
import type { Fence, OwnedFence, Permit } from '../../../src/domain/permit';
import { readAdmission } from '../coordinator/admission-row';
import type { StoreCall } from '../store-call';
import {
  FROM_OBLIGATIONS_WITH_ORIGIN,
  OBLIGATION_ORDER,
  ORIGIN_GENERATION,
  readObligationsWithOrigin,
  resolveObligation,
} from './obligation-rows';
import { movePermit, mustGetFenced } from './permit-rows';
import { settleRejectedMutation } from './settle-replays';

/** Of handshakes and bootstraps, whose obligations are refetches all. */
const SELECT_ACKNOWLEDGED = `${FROM_OBLIGATIONS_WITH_ORIGIN}
  WHERE o.workspace_id = ? AND o.operation_class = ? AND o.resolved_at IS NULL
    AND ${ORIGIN_GENERATION} <= ? ${OBLIGATION_ORDER}`;

/** Gives a permit back. It starts and applies nothing, so it asks nothing of the coordinator. */
export function releasePermit(call: StoreCall, fence: Fence): Permit {
  const permit = mustGetFenced(call, fence);
  if (permit.state === 'released') return permit;
  assertMay(permit, 'release', 'released');
  settleRejectedMutation(call, permit);
  return movePermit(call, permit, { to: 'released' });
}

/** Ends a permit whose accepted answer needs no apply, and with it what earlier attempts left to fetch again. */
export function acknowledgePermit(call: StoreCall, input: OwnedFence): Permit {
  const permit = mustGetFenced(call, input);
  assertOwner(permit, input.ownerMode);
  assertMay(permit, 'acknowledge', 'released');
  if (permit.operationClass !== 'push') settleAcknowledged(call, permit);
  return movePermit(call, permit, { to: 'released' });
}

function settleAcknowledged(call: StoreCall, permit: Permit): void {
  const admission = readAdmission(call);
  const isCurrent =
    admission.coordinatorGeneration === permit.coordinatorGeneration &&
    admission.activeWorkspaceId === permit.workspaceId &&
    isSteady(admission, permit.ownerMode);
  if (!isCurrent) return;
  const { operationClass, permitId } = permit;
  const evidence = { version: 1, kind: 'acknowledged', operationClass, permitId };
  const open = readObligationsWithOrigin(call, SELECT_ACKNOWLEDGED, [
    permit.workspaceId,
    operationClass,
    permit.coordinatorGeneration,
  ]);
  for (const { obligation } of open) resolveObligation(call, obligation, evidence);
}
