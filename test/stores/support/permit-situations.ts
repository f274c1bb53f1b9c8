import { isMutation } from '../../../src/domain/operation-class';
import type { Fence } from '../../../src/domain/permit';
import { dispositionsIn } from '../../../src/domain/permit-machine';
import {
  OPERATION_CLASSES,
  PERMIT_STATES,
  TERMINAL_PERMIT_STATES,
  type OperationClass,
  type PermitState,
  type UpstreamDisposition,
} from '../../../src/domain/permit-vocabulary';
import type { StoreSetup } from './store-setup';

/** A state, class and disposition that a stored permit can have together. */
export interface Situation {
  readonly state: PermitState;
  readonly operationClass: OperationClass;
  readonly upstreamDisposition: UpstreamDisposition;
}

function isPossible({ state, operationClass, upstreamDisposition }: Situation): boolean {
  if (state === 'local-commit-entered') {
    return (operationClass === 'local-apply') === (upstreamDisposition === 'not-started');
  }
  if (operationClass !== 'local-apply') return true;
  return (
    upstreamDisposition === 'not-started' &&
    state !== 'gateway-in-flight' &&
    state !== 'gateway-complete-awaiting-apply' &&
    state !== 'abandoned-reconcile-required'
  );
}

export const SITUATIONS: readonly Situation[] = PERMIT_STATES.flatMap((state) =>
  OPERATION_CLASSES.flatMap((operationClass) =>
    dispositionsIn(state).map((upstreamDisposition) => ({ state, operationClass, upstreamDisposition })),
  ),
).filter(isPossible);

export const PUSH_BOUNDARY = {
  version: 1,
  projection: 'v2-push',
  batchOperationIdentities: ['op-1'],
} as const;

const INSERT = `INSERT INTO local_sync_execution_permits (
    permit_id, workspace_id, coordinator_generation, server_instance_id, owner_mode, operation_class,
    operation_identity, last_committed_cursor_json, state, upstream_disposition, issued_at, deadline_at,
    last_transition_at, completed_at, holder_id
  ) VALUES (?, 'w', 1, 's-1', 'browser-gateway', ?, ?, ?, ?, ?, ?, ?, ?, ?, 'tab-1')`;

/** Puts a permit in this situation, as if it had come there by itself. */
export function placePermit(
  { database, clock }: StoreSetup,
  permitId: string,
  { state, operationClass, upstreamDisposition }: Situation,
): Fence {
  const terminal: readonly PermitState[] = TERMINAL_PERMIT_STATES;
  const now = clock.read();
  database
    .prepare(INSERT)
    .run([
      permitId,
      operationClass,
      isMutation(operationClass) ? 'op-1' : null,
      operationClass === 'push' ? JSON.stringify(PUSH_BOUNDARY) : null,
      state,
      upstreamDisposition,
      now,
      clock.in(60_000),
      now,
      terminal.includes(state) ? now : null,
    ]);
  return { permitId, workspaceId: 'w', coordinatorGeneration: 1, serverInstanceId: 's-1' };
}
