import type { CompletionGroup, PushBoundary, PushGroup } from '../../src/domain/completion-group';
import { STORE_CODES } from '../../src/domain/error-codes';
import type { Permit } from '../../src/domain/permit';
import { TidelockError } from '../../src/domain/tidelock-error';
import type { Applied, AppliedPull, BegunOperation, PushPermit } from '../../src/protocol/gateway-calls';
import type { CallInput } from '../../src/protocol/surface';
import { readOperationStanding } from '../stores/operation-history';
import { mustHaveWorkspace, runApply } from './app-calls';
import type { CallContext } from './call-context';
import { fenceOf, mustReadOwnPermit } from './permit-calls';

/** Nothing is in flight yet: what is given up before `startRequest` ends clean. */
export function beginPull(
  context: CallContext,
  { permitId, workspaceId, stream, deadlineAt }: CallInput<'gateway.beginPull'>,
): Permit {
  const { stores, serverInstanceId, sessionId } = context;
  // Asked again after a takeover. What has become of it meanwhile is `startRequest`'s to find.
  if (stores.permits.read(permitId) !== null) return mustReadOwnPermit(context, permitId);
  const active = mustHaveWorkspace(context, workspaceId);
  stores.permits.recoverExpiredPermits({
    currentServerInstanceId: serverInstanceId,
    workspaceId: active.workspaceId,
  });
  return stores.permits.issue({
    permitId,
    workspaceId: active.workspaceId,
    coordinatorGeneration: active.generation,
    serverInstanceId,
    operationClass: 'pull',
    lastCommittedCursor: stores.cursors.readCommittedCursor({ workspaceId: active.workspaceId, stream }),
    deadlineAt,
    holderId: sessionId,
    stream,
  });
}

export function beginPush(
  context: CallContext,
  input: CallInput<'gateway.beginPush'>,
): readonly BegunOperation[] {
  const { stores, database, serverInstanceId, sessionId } = context;
  const { workspaceId, generation } = mustHaveWorkspace(context, input.workspaceId);
  const known = input.operations.map(({ permitId }) => stores.permits.read(permitId));
  if (known.some((permit) => permit !== null)) {
    return input.operations.map(({ operationIdentity }, index) =>
      repeat(context, { operationIdentity, workspaceId }, known[index] ?? null),
    );
  }
  stores.permits.recoverExpiredPermits({ currentServerInstanceId: serverInstanceId, workspaceId });
  const standings = input.operations.map(({ operationIdentity }) =>
    readOperationStanding(database, { workspaceId, operationIdentity }),
  );
  const boundary = {
    version: 1,
    projection: 'v2-push',
    batchOperationIdentities: input.operations.flatMap(({ operationIdentity }, index) =>
      standings[index] === 'free' ? operationIdentity : [],
    ),
  } as const;
  return input.operations.map(({ permitId, operationIdentity }, index): BegunOperation => {
    const standing = standings[index];
    if (standing === 'busy' || standing === 'already-accepted')
      return { operationIdentity, status: standing, permit: null };
    const permit = stores.permits.issue({
      permitId,
      workspaceId,
      coordinatorGeneration: generation,
      serverInstanceId,
      operationClass: 'push',
      operationIdentity,
      lastCommittedCursor: boundary,
      deadlineAt: input.deadlineAt,
      holderId: sessionId,
      stream: input.stream,
    });
    return { operationIdentity, status: 'granted', permit: withoutBoundary(permit) };
  });
}

/**
 * A push that was begun before: what this tab was granted then stands while it has not gone out. Anything else (a
 * permit that a page's absence cost it, one that is out already) is left for a later push.
 */
function repeat(
  { sessionId, database }: CallContext,
  { operationIdentity, workspaceId }: { readonly operationIdentity: string; readonly workspaceId: string },
  permit: Permit | null,
): BegunOperation {
  const standing = readOperationStanding(database, { workspaceId, operationIdentity });
  if (standing === 'already-accepted') return { operationIdentity, status: standing, permit: null };
  const isStillMine = permit !== null && permit.holderId === sessionId && permit.state === 'issued-idle';
  return isStillMine
    ? { operationIdentity, status: 'granted', permit: withoutBoundary(permit) }
    : { operationIdentity, status: 'busy', permit: null };
}

function withoutBoundary({ lastCommittedCursor: _boundary, ...permit }: Permit): PushPermit {
  return permit;
}

/** The last step before the request goes out. @throws TidelockError the store's codes for a permit that may not start */
export function startRequest(context: CallContext, { permitIds }: CallInput<'gateway.startRequest'>): null {
  for (const permitId of permitIds) {
    context.stores.permits.transition({
      ...fenceOf(context, mustReadOwnPermit(context, permitId)),
      expectedState: 'issued-idle',
      nextState: 'gateway-in-flight',
    });
  }
  return null;
}

export function recordOutcomes(
  context: CallContext,
  { outcomes }: CallInput<'gateway.recordOutcomes'>,
): null {
  const { permits } = context.stores;
  for (const { permitId, disposition, errorCode } of outcomes) {
    const permit = mustReadOwnPermit(context, permitId);
    const fence = fenceOf(context, permit);
    permits.transition({
      ...fence,
      expectedState: 'gateway-in-flight',
      nextState: 'gateway-complete-awaiting-apply',
      upstreamDisposition: disposition,
      errorCode,
    });
    if (disposition === 'accepted') continue;
    if (disposition === 'rejected' && permit.operationClass === 'push') permits.release(fence);
    else permits.abandonPermit({ ...fence, errorCode });
  }
  return null;
}

export function applyPull(
  context: CallContext,
  { permitId, handler, page, nextCursor }: CallInput<'gateway.applyPull'>,
): Applied {
  const { permits, cursors } = context.stores;
  const permit = mustReadOwnPermit(context, permitId);
  const { workspaceId, coordinatorGeneration, ownerMode, stream, lastCommittedCursor: previous } = permit;
  const { serverInstanceId } = context;
  const group: CompletionGroup = {
    permitIds: [permitId],
    workspaceId,
    coordinatorGeneration,
    serverInstanceId,
    ownerMode,
    previousBoundary: previous,
    expectedBoundary: nextCursor,
  };
  permits.enterLocalCommitGroup(group);
  const applied = completeWith(
    (apply) => permits.completeLocalCommitGroup(group, apply),
    () => {
      const applied = runApply(context, { handler, page, permits: [permit] });
      cursors.commitCursor({ workspaceId, stream, coordinatorGeneration, previous, next: nextCursor });
      settlePullObligations(context, group, stream);
      return applied;
    },
  );
  context.appliedPulls.note({ workspaceId, stream }, { ...applied, permitId, cursor: nextCursor });
  return applied;
}

/** The last pull of the stream that this writer applied and committed, or null. */
export function readLastPull(
  { appliedPulls, stores }: CallContext,
  scope: CallInput<'gateway.readLastPull'>,
): AppliedPull | null {
  const pull = appliedPulls.find(scope);
  return pull !== null && stores.permits.read(pull.permitId)?.state === 'released' ? pull : null;
}

/** What earlier pulls of the stream left open is fetched by now. While the owner is drained nothing is settled: it waits. */
function settlePullObligations(
  { stores: { permits, coordinator } }: CallContext,
  group: CompletionGroup,
  stream: string,
): void {
  if (coordinator.readOrCreateState().transitionState !== 'idle') return;
  const obligationIds = permits
    .listResolvableRecoveryObligations(group)
    .filter((obligation) => obligation.stream === stream)
    .map(({ obligationId }) => obligationId);
  if (obligationIds.length > 0) {
    permits.resolveRecoveryObligations(
      { completionGroup: group, obligationIds },
      ({ expectedBoundary }) => expectedBoundary,
    );
  }
  const { workspaceId, coordinatorGeneration, ownerMode } = group;
  permits.settleOvertakenObligations({ workspaceId, coordinatorGeneration, ownerMode, stream });
}

export function applyPush(
  context: CallContext,
  { permitIds, handler, page }: CallInput<'gateway.applyPush'>,
): Applied {
  const { permits } = context.stores;
  const held = permitIds.map((permitId) => mustReadOwnPermit(context, permitId));
  const [first] = held;
  if (first === undefined) throw new RangeError('a push needs a permit');
  const group: PushGroup = {
    permitIds,
    workspaceId: first.workspaceId,
    coordinatorGeneration: first.coordinatorGeneration,
    serverInstanceId: context.serverInstanceId,
    ownerMode: first.ownerMode,
    pushBoundary: mustReadBoundary(first),
  };
  return completeWith(
    (apply) => permits.completeAcceptedPushEchoGroup(group, apply),
    () => runApply(context, { handler, page, permits: held }),
  );
}

export function abandonPermits(
  context: CallContext,
  { permitIds, errorCode }: CallInput<'gateway.abandon'>,
): null {
  for (const permitId of permitIds) {
    const permit = mustReadOwnPermit(context, permitId);
    context.stores.permits.abandonPermit({ ...fenceOf(context, permit), errorCode });
  }
  return null;
}

/** Runs `apply` as the callback of a store's completion and hands out what it made. */
function completeWith(complete: (apply: () => null) => unknown, apply: () => Applied): Applied {
  const made: Applied[] = [];
  complete(() => {
    made.push(apply());
    return null;
  });
  const applied = made.at(-1);
  if (applied !== undefined) return applied;
  throw new TidelockError(
    STORE_CODES.PERMIT_STATE_CONFLICT,
    'The store completed a group without applying it.',
  );
}

function mustReadBoundary({ lastCommittedCursor, permitId }: Permit): PushBoundary {
  const cursor = lastCommittedCursor;
  const isBoundary = typeof cursor === 'object' && cursor !== null && 'projection' in cursor;
  if (isBoundary) return cursor as unknown as PushBoundary; // the store checks every field of it
  throw new TidelockError(
    STORE_CODES.PERMIT_IDENTITY_CONFLICT,
    `Permit "${permitId}" was not issued for a push batch.`,
    {
      details: { permitId },
    },
  );
}
