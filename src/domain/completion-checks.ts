import { isCanonicallyEqual } from './canonical-json';
import type { CompletionGroup, PushBoundary } from './completion-group';
import { OWNER_MODES, type OwnerMode } from './coordinator-vocabulary';
import { STORE_CODES } from './error-codes';
import type { Json } from './json';
import { isApplying } from './operation-class';
import type { Permit } from './permit';
import { findPermitEdge, type PermitMeans } from './permit-machine';
import type { PermitState } from './permit-vocabulary';
import { refuse } from './refuse';

/** Ids of a group: at least one, none empty, padded or repeated. */
export function assertDistinctIds(ids: readonly string[], what: string): void {
  const isFine =
    Array.isArray(ids) && ids.length > 0 && ids.every(isTrimmed) && new Set(ids).size === ids.length;
  if (isFine) return;
  refuse(STORE_CODES.PERMIT_IDENTITY_CONFLICT, `The ${what} must be distinct, trimmed and at least one.`, {
    expected: 'distinct trimmed ids',
    actual: ids,
  });
}

export function isTrimmed(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value === value.trim();
}

export function assertOwner(permit: Permit, ownerMode: OwnerMode): void {
  if (permit.ownerMode === ownerMode) return;
  refuse(STORE_CODES.PERMIT_IDENTITY_CONFLICT, 'The permit belongs to another owner.', {
    expected: permit.ownerMode,
    actual: ownerMode,
  });
}

/** The permit's state, class and disposition let these means lead there, by the table. */
export function assertMay(permit: Permit, by: PermitMeans, to: PermitState): void {
  if (findPermitEdge(permit, by, to) !== undefined) return;
  refuse(
    STORE_CODES.PERMIT_STATE_CONFLICT,
    `A ${permit.operationClass} permit in ${permit.state} (${permit.upstreamDisposition}) cannot become ${to}.`,
    { expected: `${by} to ${to}`, actual: permit.state },
  );
}

/** A member of a completion group whose fence was checked. */
export function assertGroupMember(
  permit: Permit,
  group: CompletionGroup,
  to: 'local-commit-entered' | 'released',
): void {
  assertOwner(permit, group.ownerMode);
  if (!isApplying(permit.operationClass)) {
    refuse(STORE_CODES.PERMIT_STATE_CONFLICT, `A ${permit.operationClass} is not applied in groups.`, {
      expected: 'pull or repair',
      actual: permit.operationClass,
    });
  }
  if (!isCanonicallyEqual(permit.lastCommittedCursor, group.previousBoundary ?? null)) {
    refuse(STORE_CODES.PERMIT_STATE_CONFLICT, 'The permit starts from another boundary than its group.', {
      expected: group.previousBoundary ?? null,
      actual: permit.lastCommittedCursor,
    });
  }
  assertMay(permit, to === 'released' ? 'complete-local-commit' : 'enter-local-commit', to);
}

/** The shape that resolving obligations asks of a group. */
export function assertGroupShape(group: CompletionGroup): void {
  const isFine =
    typeof group === 'object' &&
    group !== null &&
    Array.isArray(group.permitIds) &&
    group.permitIds.length > 0 &&
    group.permitIds.every((id) => typeof id === 'string') &&
    isNonEmpty(group.workspaceId) &&
    isNonEmpty(group.serverInstanceId) &&
    Number.isSafeInteger(group.coordinatorGeneration) &&
    group.coordinatorGeneration >= 0 &&
    OWNER_MODES.includes(group.ownerMode) &&
    group.previousBoundary !== undefined &&
    group.expectedBoundary !== undefined;
  if (isFine) return;
  refuse(STORE_CODES.COMPLETION_GROUP_INVALID, 'The completion group has the wrong shape.', {
    expected: 'permit ids, workspace, instance, generation, owner and both boundaries',
    actual: group,
  });
}

/** Checks that this is a push boundary and nothing else, and returns a copy of its own. */
export function parsePushBoundary(value: unknown): PushBoundary {
  if (isPushBoundary(value)) {
    return {
      version: 1,
      projection: 'v2-push',
      batchOperationIdentities: [...value.batchOperationIdentities],
    };
  }
  return refuse(STORE_CODES.PERMIT_IDENTITY_CONFLICT, 'This is not a push boundary.', {
    expected: 'version 1, projection v2-push, distinct batchOperationIdentities',
    actual: value,
  });
}

function isPushBoundary(value: unknown): value is PushBoundary {
  if (typeof value !== 'object' || value === null) return false;
  // Of an object nothing is known but that it may have these.
  const {
    version,
    projection,
    batchOperationIdentities: identities,
  } = value as Readonly<Partial<Record<keyof PushBoundary, unknown>>>;
  return (
    Object.keys(value).length === 3 &&
    version === 1 &&
    projection === 'v2-push' &&
    Array.isArray(identities) &&
    identities.every(isTrimmed) &&
    new Set(identities).size === identities.length
  );
}

/** The boundary as the JSON that permits and obligations store. */
export function toBoundaryJson(boundary: PushBoundary): Json {
  return { ...boundary };
}

/** A push permit of a batch whose fence was checked; `seen` holds the identities of those before it. */
export function assertPushMember(
  permit: Permit,
  ownerMode: OwnerMode,
  boundary: PushBoundary,
  seen: Set<string>,
): string {
  assertOwner(permit, ownerMode);
  if (permit.operationClass !== 'push') {
    refuse(STORE_CODES.PERMIT_STATE_CONFLICT, `A ${permit.operationClass} is not a push.`, {
      expected: 'push',
      actual: permit.operationClass,
    });
  }
  const identity = permit.operationIdentity;
  if (!isTrimmed(identity) || seen.has(identity) || !boundary.batchOperationIdentities.includes(identity)) {
    return refuse(STORE_CODES.PERMIT_IDENTITY_CONFLICT, 'The push is not one of this batch.', {
      expected: boundary.batchOperationIdentities,
      actual: identity,
    });
  }
  seen.add(identity);
  if (!isCanonicallyEqual(permit.lastCommittedCursor, toBoundaryJson(boundary))) {
    refuse(STORE_CODES.PERMIT_IDENTITY_CONFLICT, 'The push was sent in another batch.', {
      expected: toBoundaryJson(boundary),
      actual: permit.lastCommittedCursor,
    });
  }
  assertMay(permit, 'complete-push', 'local-commit-entered');
  return identity;
}

function isNonEmpty(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
