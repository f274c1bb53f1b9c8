import type { Json } from '../../../src/domain/json';
import type { Permit } from '../../../src/domain/permit';
import type { OperationClass } from '../../../src/domain/permit-vocabulary';
import type { StoreCall } from '../store-call';
import {
  FROM_OBLIGATIONS_WITH_ORIGIN,
  OBLIGATION_ORDER,
  readObligationsWithOrigin,
  resolveObligation,
} from './obligation-rows';

/** What names an operation is a replay. */
const SELECT_OPEN_REPLAYS = `${FROM_OBLIGATIONS_WITH_ORIGIN}
  WHERE o.workspace_id = ? AND o.operation_class = ? AND o.operation_identity = ? AND o.resolved_at IS NULL
  ${OBLIGATION_ORDER}`;

interface Replay {
  readonly workspaceId: string;
  readonly operationClass: OperationClass;
  /** Null names none: what is no mutation has no replays. */
  readonly operationIdentity: string | null;
}

/** Resolves the open replays of one operation, whichever attempt each came from. */
export function settleReplays(
  call: StoreCall,
  { workspaceId, operationClass, operationIdentity }: Replay,
  evidence: Json,
): void {
  const open = readObligationsWithOrigin(call, SELECT_OPEN_REPLAYS, [
    workspaceId,
    operationClass,
    operationIdentity,
  ]);
  for (const { obligation } of open) resolveObligation(call, obligation, evidence);
}

/** As `settleReplays`, but only for attempts up to a generation whose permit bears the same identity. */
export function settleReplaysUpTo(
  call: StoreCall,
  { workspaceId, operationClass, operationIdentity }: Replay,
  generation: number,
  evidence: Json,
): void {
  const open = readObligationsWithOrigin(call, SELECT_OPEN_REPLAYS, [
    workspaceId,
    operationClass,
    operationIdentity,
  ]);
  for (const { obligation, origin } of open) {
    const isOlder = origin.coordinatorGeneration <= generation;
    if (isOlder && origin.operationIdentity === operationIdentity) {
      resolveObligation(call, obligation, evidence);
    }
  }
}

/** Once the upstream has refused a mutation, earlier attempts at it of unknown fate need no replay. */
export function settleRejectedMutation(call: StoreCall, permit: Permit): void {
  const { operationIdentity, operationClass, permitId, workspaceId } = permit;
  if (permit.upstreamDisposition !== 'rejected') return;
  const evidence = { version: 1, kind: 'rejected', operationIdentity, permitId };
  settleReplays(call, { workspaceId, operationClass, operationIdentity }, evidence);
}
