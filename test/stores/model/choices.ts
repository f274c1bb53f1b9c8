import type { CompletionGroup, PushGroup } from '../../../src/domain/completion-group';
import type { OwnerMode } from '../../../src/domain/coordinator-vocabulary';
import type { Json } from '../../../src/domain/json';
import type { Fence, Permit } from '../../../src/domain/permit';
import { ApplyFailed, type Lockstep } from './lockstep';
import type { Picker } from './picker';
import type { ModelPermit } from './world';

/** What an action is about, chosen so that it mostly makes sense: the permit, the fence, the group, the apply. */

/** One call, to the stores and to the model. */
export interface Pair {
  readonly call: () => unknown;
  readonly model: () => unknown;
}
export type Action = (lock: Lockstep, pick: Picker) => Pair;

export const WORKSPACES = ['w', 'w-2'] as const;
export const CURSORS: readonly Json[] = [null, { c: 1 }, { c: 2 }];
export const IDENTITIES = ['op-1', 'op-2'] as const;
export const BOUNDARIES = [
  { version: 1, projection: 'v2-push', batchOperationIdentities: ['op-1', 'op-2'] },
  { version: 1, projection: 'v2-push', batchOperationIdentities: ['op-1'] },
] as const;
export const STREAMS = ['main', 'other'] as const;

export function activeWorkspace({ world }: Lockstep, pick: Picker): string {
  const active = world.rows.state?.activeWorkspaceId;
  return pick.oneIn(8) ? pick.of(WORKSPACES) : (active ?? 'w');
}

export function currentGeneration({ world }: Lockstep, pick: Picker): number {
  const generation = world.rows.state?.coordinatorGeneration ?? 0;
  return pick.oneIn(10) ? Math.max(0, generation - 1) : generation;
}

/** Who owns synchronisation now, or somebody. */
export function currentOwner({ world }: Lockstep, pick: Picker): OwnerMode {
  const mode = world.rows.state?.ownershipMode;
  const owner = mode === 'server' || mode === 'transitioning-to-browser' ? 'server' : 'browser-gateway';
  return pick.oneIn(8) ? pick.of(['browser-gateway', 'server']) : owner;
}

export function somePermit(
  { world }: Lockstep,
  pick: Picker,
  states: readonly Permit['state'][],
): ModelPermit | undefined {
  const fitting = world.rows.permits.filter((permit) => states.includes(permit.state));
  return pick.oneIn(6)
    ? pick.from(world.rows.permits)
    : (pick.from(fitting) ?? pick.from(world.rows.permits));
}

export function fenceOf(permit: ModelPermit | undefined, pick: Picker): Fence {
  const fence = {
    permitId: permit?.permitId ?? 'nobody',
    workspaceId: permit?.workspaceId ?? 'w',
    coordinatorGeneration: permit?.coordinatorGeneration ?? 1,
    serverInstanceId: permit?.serverInstanceId ?? 's-1',
  };
  if (!pick.oneIn(20)) return fence;
  return pick.of([
    { ...fence, serverInstanceId: 's-0' },
    { ...fence, coordinatorGeneration: fence.coordinatorGeneration + 1 },
    { ...fence, workspaceId: 'w-3' },
  ]);
}

export function groupOf(lock: Lockstep, pick: Picker, state: Permit['state']): CompletionGroup {
  const first = somePermit(lock, pick, [state]);
  const fence = fenceOf(first, pick);
  const others = lock.world.rows.permits.filter(
    (permit) =>
      permit !== first &&
      permit.state === state &&
      permit.operationClass === first?.operationClass &&
      JSON.stringify(permit.lastCommittedCursor) === JSON.stringify(first.lastCommittedCursor),
  );
  const second = pick.oneIn(3) ? pick.from(others) : undefined;
  return {
    ...fence,
    permitIds: second === undefined ? [fence.permitId] : [fence.permitId, second.permitId],
    ownerMode: first?.ownerMode ?? 'browser-gateway',
    previousBoundary: first?.lastCommittedCursor ?? null,
    expectedBoundary: pick.of(CURSORS),
  };
}

export function pushGroupOf(lock: Lockstep, pick: Picker): PushGroup {
  const state = 'gateway-complete-awaiting-apply';
  const isAnsweredPush = (permit: ModelPermit): boolean =>
    permit.operationClass === 'push' && permit.state === state && permit.upstreamDisposition === 'accepted';
  const pushes = lock.world.rows.permits.filter(isAnsweredPush);
  const first = pick.from(pushes) ?? somePermit(lock, pick, [state]);
  const fence = fenceOf(first, pick);
  const second = pick.oneIn(3) ? pick.from(pushes.filter((permit) => permit !== first)) : undefined;
  return {
    ...fence,
    permitIds: second === undefined ? [fence.permitId] : [fence.permitId, second.permitId],
    ownerMode: first?.ownerMode ?? 'browser-gateway',
    pushBoundary: pick.of(BOUNDARIES),
  };
}

/** What an apply does: write data, commit a cursor, resolve obligations, fail, or forget to be synchronous. */
export function applyPair(lock: Lockstep, pick: Picker, group: CompletionGroup): Pair {
  const { workspaceId, coordinatorGeneration } = group;
  const version = { workspaceId, expectedCoordinatorGeneration: coordinatorGeneration };
  const kind = pick.of(['nothing', 'version', 'cursor', 'resolve', 'list', 'throw', 'promise']);
  switch (kind) {
    case 'nothing':
      return { call: () => null, model: () => null };
    case 'version':
      return {
        call: () => lock.stores.coordinator.advanceLocalDataVersion(version),
        model: () => lock.coordinator.advanceDataVersion(version),
      };
    case 'cursor': {
      const previous = pick.oneIn(3) ? group.previousBoundary : lock.recovery.readCursor(workspaceId, 'main');
      const input = { ...group, stream: 'main', previous, next: group.expectedBoundary };
      return {
        call: () => lock.stores.cursors.commitCursor(input),
        model: () => lock.recovery.commitCursor(input),
      };
    }
    case 'resolve': {
      const chosen = lock.world.rows.obligations.filter(() => pick.oneIn(2));
      const input = {
        completionGroup: group,
        obligationIds: chosen.map((obligation) => obligation.obligationId),
      };
      const committed = pick.oneIn(6) ? { c: 9 } : group.expectedBoundary;
      return {
        call: () => lock.stores.permits.resolveRecoveryObligations(input, () => committed),
        model: () => lock.recovery.resolveRefetches(input, () => committed),
      };
    }
    case 'list':
      return {
        call: () => lock.stores.permits.listResolvableRecoveryObligations(group),
        model: () => lock.recovery.listResolvable(group),
      };
    case 'throw': {
      const fail = (): never => {
        throw new ApplyFailed('the apply failed');
      };
      return { call: fail, model: fail };
    }
    case 'promise':
      return { call: () => Promise.resolve(1), model: () => Promise.resolve(1) };
  }
}
