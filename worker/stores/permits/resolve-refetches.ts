import { assertSteadyState } from '../../../src/domain/admission';
import { isCanonicallyEqual } from '../../../src/domain/canonical-json';
import { assertDistinctIds, assertGroupShape } from '../../../src/domain/completion-checks';
import type { CompletionGroup } from '../../../src/domain/completion-group';
import { STORE_CODES } from '../../../src/domain/error-codes';
import type { Json } from '../../../src/domain/json';
import { assertRefetchSettles, mustExist } from '../../../src/domain/obligation-resolution';
import type {
  CommitBoundary,
  Obligation,
  ResolveObligationsInput,
  SettleOvertakenInput,
} from '../../../src/domain/recovery-obligation';
import { refuse } from '../../../src/domain/refuse';
import { readAdmission } from '../coordinator/admission-row';
import { readCursor } from '../cursor-rows';
import { toJsonColumn } from '../row-reader';
import { runSynchronously } from '../run-synchronously';
import type { StoreCall } from '../store-call';
import { mustGetGroup } from './local-commit';
import {
  FROM_OBLIGATIONS_WITH_ORIGIN,
  OBLIGATION_ORDER,
  ORIGIN_GENERATION,
  findObligationWithOrigin,
  readObligationsWithOrigin,
  resolveObligation,
} from './obligation-rows';

/** Of pulls and repairs, whose obligations are refetches all. */
const SELECT_REFETCHES = `${FROM_OBLIGATIONS_WITH_ORIGIN}
  WHERE o.workspace_id = ? AND o.operation_class = ? AND o.resolved_at IS NULL
    AND ${ORIGIN_GENERATION} <= ?`;
const SELECT_RESOLVABLE = `${SELECT_REFETCHES} AND o.last_committed_cursor_json IS ? ${OBLIGATION_ORDER}`;
const SELECT_OVERTAKEN = `${SELECT_REFETCHES} AND o.stream = ?
  AND o.last_committed_cursor_json IS NOT ? ${OBLIGATION_ORDER}`;

/** The refetches that a group in local commit makes good, because it fetched from the same cursor. */
export function listResolvableRefetches(call: StoreCall, group: CompletionGroup): readonly Obligation[] {
  assertGroupShape(group);
  assertSteadyState(readAdmission(call), group);
  const permits = mustGetGroup(call, group, 'released');
  const [operationClass, ...others] = new Set(permits.map((permit) => permit.operationClass));
  if (operationClass === undefined || others.length > 0) return [];
  const found = readObligationsWithOrigin(call, SELECT_RESOLVABLE, [
    group.workspaceId,
    operationClass,
    group.coordinatorGeneration,
    toJsonColumn(group.previousBoundary),
  ]);
  return found.map(({ obligation }) => obligation);
}

/** Resolves refetches with the boundary that `commitBoundary` commits in the same transaction. */
export function resolveRefetches(
  call: StoreCall,
  { completionGroup: group, obligationIds }: ResolveObligationsInput,
  commitBoundary: CommitBoundary,
): readonly Obligation[] {
  assertGroupShape(group);
  assertDistinctIds(group.permitIds, 'permit ids');
  assertDistinctIds(obligationIds, 'obligation ids');
  assertSteadyState(readAdmission(call), group);
  const permits = mustGetGroup(call, group, 'released');
  const { previousBoundary, expectedBoundary } = group;
  const obligations = obligationIds.map((obligationId) => {
    const found = mustExist(findObligationWithOrigin(call, obligationId), obligationId);
    assertRefetchSettles(found, group, permits);
    return found.obligation;
  });
  if (obligations.every((obligation) => obligation.resolvedAt !== null)) return obligations;

  const committed = runSynchronously(
    // Copies: what the callback does to them must not change what is stored.
    () => commitBoundary(structuredClone({ previousBoundary, expectedBoundary })),
    STORE_CODES.ASYNC_TRANSACTION,
  );
  assertCommitted(committed, expectedBoundary);
  return obligations.map((obligation) => resolveObligation(call, obligation, expectedBoundary));
}

/** Resolves the refetches of a stream whose cursor has been passed since: what they asked for has been fetched. */
export function settleOvertaken(call: StoreCall, input: SettleOvertakenInput): { readonly resolved: number } {
  assertSteadyState(readAdmission(call), input);
  const { workspaceId, stream, coordinatorGeneration } = input;
  const committedCursor = readCursor(call, { workspaceId, stream });
  const overtaken = readObligationsWithOrigin(call, SELECT_OVERTAKEN, [
    workspaceId,
    'pull',
    coordinatorGeneration,
    stream,
    toJsonColumn(committedCursor),
  ]);
  const evidence = { version: 1, kind: 'overtaken', committedCursor };
  for (const { obligation } of overtaken) resolveObligation(call, obligation, evidence);
  return { resolved: overtaken.length };
}

function assertCommitted(committed: Json | undefined, expectedBoundary: Json): void {
  if (isCanonicallyEqual(committed ?? null, expectedBoundary)) return;
  refuse(STORE_CODES.PERMIT_STATE_CONFLICT, 'Another boundary was committed than the group expects.', {
    expected: expectedBoundary,
    actual: committed,
  });
}
