import { activeWorkspace, currentGeneration, currentOwner, WORKSPACES, type Action } from './choices';
import type { Lockstep } from './lockstep';
import type { Picker } from './picker';

const LIMITS = [undefined, 1, 0, 501] as const;

function scopeOf(lock: Lockstep, pick: Picker) {
  return {
    workspaceId: activeWorkspace(lock, pick),
    coordinatorGeneration: currentGeneration(lock, pick),
    ownerMode: currentOwner(lock, pick),
  };
}

export const RECOVERY_ACTIONS: Readonly<Record<string, Action>> = {
  summarize: (lock, pick) => {
    const workspaceId = pick.of(WORKSPACES);
    return {
      call: () => lock.stores.permits.summarize(workspaceId),
      model: () => lock.recovery.summarize(workspaceId),
    };
  },
  inspectDrain: (lock, pick) => {
    const scope = { ...scopeOf(lock, pick), limit: pick.of(LIMITS) };
    return {
      call: () => lock.stores.permits.inspectGenerationDrain(scope),
      model: () => lock.recovery.inspectDrain(scope),
    };
  },
  abandonForDrain: (lock, pick) => {
    const input = { ...scopeOf(lock, pick), limit: pick.of(LIMITS), errorCode: pick.of([undefined, 'D']) };
    return {
      call: () => lock.stores.permits.abandonNeverStartedForDrain(input),
      model: () => lock.recovery.abandonForDrain(input),
    };
  },
  recoverExpired: (lock, pick) => {
    const excluded = pick.oneIn(3) ? pick.from(lock.world.rows.permits)?.permitId : undefined;
    const input = {
      workspaceId: activeWorkspace(lock, pick),
      currentServerInstanceId: lock.instanceId,
      excludePermitIds: excluded === undefined ? undefined : [excluded],
    };
    return {
      call: () => lock.stores.permits.recoverExpiredPermits(input),
      model: () => lock.recovery.recoverExpired(input),
    };
  },
  recoverPrior: (lock, pick) => {
    const workspaceId = pick.oneIn(3) ? pick.of(WORKSPACES) : undefined;
    const input = { currentServerInstanceId: lock.instanceId, workspaceId };
    return {
      call: () => lock.stores.permits.recoverPriorServerPermits(input),
      model: () => lock.recovery.recoverPrior(input),
    };
  },
  adopt: (lock, pick) => {
    const holderIds = pick.of([['tab-1'], ['tab-2'], ['tab-1', 'tab-2'], []]);
    const input = { currentServerInstanceId: lock.instanceId, holderIds };
    return {
      call: () => lock.stores.permits.adoptPermits(input),
      model: () => lock.recovery.adopt(input),
    };
  },
  abandonHolder: (lock, pick) => {
    const holderId = pick.of(['tab-1', 'tab-2']);
    const input = { holderId, currentServerInstanceId: lock.instanceId };
    return {
      call: () => lock.stores.permits.abandonHolderPermits(input),
      model: () => lock.recovery.abandonHolder(input),
    };
  },
  listOpen: (lock, pick) => {
    const workspaceId = pick.of(WORKSPACES);
    return {
      call: () => lock.stores.permits.listOpenRecoveryObligations(workspaceId),
      model: () => lock.world.open(workspaceId),
    };
  },
  resolveDispatches: (lock, pick) => {
    const dispatches = lock.world.rows.obligations.filter(
      (obligation) => obligation.operationClass === 'v3-dispatch',
    );
    const chosen = pick.from(dispatches) ?? pick.from(lock.world.rows.obligations);
    const input = {
      ...scopeOf(lock, pick),
      resolutions: [
        {
          obligationId: chosen?.obligationId ?? 'nobody',
          operationIdentity: pick.oneIn(6) ? 'op-9' : (chosen?.operationIdentity ?? 'op-1'),
          resolvedBoundary: { by: pick.number(2) },
        },
      ],
    };
    return {
      call: () => lock.stores.permits.resolveV3DispatchRecoveryObligations(input),
      model: () => lock.recovery.resolveDispatches(input),
    };
  },
  inspectRepair: (lock, pick) => {
    const workspaceId = pick.of(WORKSPACES);
    return {
      call: () => lock.stores.permits.inspectAuthoritativeRepairRecoveryObligations(workspaceId),
      model: () => lock.recovery.inspectRepair(workspaceId),
    };
  },
  resolveByRepair: (lock, pick) => {
    const input = { ...scopeOf(lock, pick), repairId: 'r', stateSignatureSha256: 'sha' };
    return {
      call: () => lock.stores.permits.resolveAuthoritativeRepairRecoveryObligations(input),
      model: () => lock.recovery.resolveByRepair(input),
    };
  },
  settleOvertaken: (lock, pick) => {
    const input = { ...scopeOf(lock, pick), stream: pick.of(['main', 'other']) };
    return {
      call: () => lock.stores.permits.settleOvertakenObligations(input),
      model: () => lock.recovery.settleOvertaken(input),
    };
  },
  prune: (lock) => ({
    // Nothing is old and beyond the newest thousand here: it must take nothing.
    call: () => lock.stores.permits.pruneTerminalHistory(),
    model: () => ({ permits: 0, obligations: 0 }),
  }),
};
