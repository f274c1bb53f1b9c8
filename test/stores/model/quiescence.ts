import type { CompletionGroup } from '../../../src/domain/completion-group';
import type { Permit } from '../../../src/domain/permit';
import type { Obligation } from '../../../src/domain/recovery-obligation';
import { openStores, type Stores } from '../../../worker/stores';
import { REQUESTED_BY, envelope, toFence, type TestClock, type TestDatabase } from '../support/store-setup';
import { readRows } from './read-rows';

/**
 * Brings the stores to rest by legal calls alone, from whatever state they are in: nothing active, nothing open,
 * nothing waiting. That this always works means that no sequence of calls and crashes paints an app into a corner.
 */
export function bringToRest(database: TestDatabase, clock: TestClock): void {
  let ids = 0;
  const newId = (): string => `rest-${++ids}`;
  const stores = openStores({ database, clock: clock.read, newId });
  const { coordinator, permits } = stores;
  const serverInstanceId = 's-rest';
  coordinator.recoverAfterRestart({ neverStarted: 'keep' });
  permits.recoverPriorServerPermits({ currentServerInstanceId: serverInstanceId });
  for (const { permitId, workspaceId, state } of readRows(database).permits) {
    if (state !== 'local-commit-entered') continue;
    permits.settleInterruptedLocalCommit({
      workspaceId,
      permitId,
      outcome: 'not-committed',
      evidence: 'rest',
    });
  }
  for (const workspaceId of ['w', 'w-2']) {
    makeActive(stores, workspaceId, newId());
    const rest = new Rest(stores, clock, workspaceId, serverInstanceId);
    rest.runCommands();
    for (const obligation of permits.listOpenRecoveryObligations(workspaceId)) rest.settle(obligation);
  }
}

function makeActive({ coordinator }: Stores, workspaceId: string, commandId: string): void {
  const { activeWorkspaceId, coordinatorGeneration } = coordinator.readOrCreateState();
  coordinator.acceptCommand(
    envelope({
      commandId,
      workspaceId: activeWorkspaceId,
      expectedCoordinatorGeneration: coordinatorGeneration,
      type: 'SwitchWorkspace',
    }),
  );
  coordinator.beginWorkspaceSwitch({
    commandId,
    expectedGeneration: coordinatorGeneration,
    expectedActiveWorkspaceId: activeWorkspaceId,
    targetWorkspaceId: workspaceId,
    requestedBy: REQUESTED_BY,
  });
  coordinator.markCommandRunning(commandId);
  coordinator.completeWorkspaceSwitch({ commandId, targetWorkspaceId: workspaceId });
}

class Rest {
  readonly #stores: Stores;
  readonly #clock: TestClock;
  readonly #fence: { workspaceId: string; coordinatorGeneration: number; serverInstanceId: string };
  readonly #ownerMode = 'browser-gateway';

  constructor(stores: Stores, clock: TestClock, workspaceId: string, serverInstanceId: string) {
    this.#stores = stores;
    this.#clock = clock;
    const { coordinatorGeneration } = stores.coordinator.readOrCreateState();
    this.#fence = { workspaceId, coordinatorGeneration, serverInstanceId };
  }

  runCommands(): void {
    const { coordinator } = this.#stores;
    const runner = { ...this.#fence, ownerMode: this.#ownerMode, cloudCapabilityAvailable: true } as const;
    for (;;) {
      const command = coordinator.claimNextRunnerCommand(runner);
      if (command === null) return;
      coordinator.finishCommand({ commandId: command.commandId, status: 'succeeded' });
    }
  }

  /** Does again what the obligation asks for, and is answered. */
  settle(obligation: Obligation): void {
    const { permits } = this.#stores;
    const { operationIdentity } = obligation;
    const permit = this.#answered(obligation);
    const owned = { ...toFence(permit), ownerMode: this.#ownerMode } as const;
    switch (obligation.operationClass) {
      case 'handshake':
      case 'bootstrap':
        permits.acknowledgeNonApplyingCompletion(owned);
        return;
      case 'push':
        permits.completeAcceptedPushWithoutEcho({
          ...owned,
          permitIds: [permit.permitId],
          pushBoundary: boundaryOf(operationIdentity ?? ''),
        });
        return;
      case 'v3-dispatch':
        permits.completeAcceptedV3Dispatch(
          { ...owned, operationIdentity: operationIdentity ?? '' },
          () => null,
        );
        return;
      case 'pull':
      case 'repair':
        this.#refetch(obligation, {
          ...owned,
          permitIds: [permit.permitId],
          previousBoundary: obligation.lastCommittedCursor,
          expectedBoundary: { rest: true },
        });
        return;
      case 'local-apply':
        throw new Error('a local apply leaves no obligation');
    }
  }

  #refetch(obligation: Obligation, group: CompletionGroup): void {
    const { permits } = this.#stores;
    permits.enterLocalCommitGroup(group);
    permits.completeLocalCommitGroup(group, () => {
      const resolution = { completionGroup: group, obligationIds: [obligation.obligationId] };
      permits.resolveRecoveryObligations(resolution, () => group.expectedBoundary);
    });
  }

  #answered({ operationClass, operationIdentity, lastCommittedCursor }: Obligation): Permit {
    const { permits } = this.#stores;
    const permit = permits.issue({
      ...this.#fence,
      operationClass,
      operationIdentity,
      lastCommittedCursor:
        operationClass === 'push' ? boundaryOf(operationIdentity ?? '') : lastCommittedCursor,
      deadlineAt: this.#clock.in(60_000),
    });
    const fence = toFence(permit);
    permits.transition({ ...fence, expectedState: 'issued-idle', nextState: 'gateway-in-flight' });
    return permits.transition({
      ...fence,
      expectedState: 'gateway-in-flight',
      nextState: 'gateway-complete-awaiting-apply',
      upstreamDisposition: 'accepted',
    });
  }
}

function boundaryOf(identity: string) {
  return { version: 1, projection: 'v2-push', batchOperationIdentities: [identity] } as const;
}

/** What is still not at rest, as text; empty where everything is. */
export function findUnrest(database: TestDatabase): readonly string[] {
  const { state, commands, permits, obligations } = readRows(database);
  return [
    ...(state?.transitionState === 'idle' ? [] : [`in ${state?.transitionState}`]),
    ...permits.filter((permit) => permit.completedAt === null).map((permit) => `permit ${permit.permitId}`),
    ...obligations
      .filter((obligation) => obligation.resolvedAt === null)
      .map((obligation) => `obligation ${obligation.obligationId}`),
    ...commands
      .filter((command) => command.completedAt === null)
      .map((command) => `command ${command.commandId} ${command.status}`),
  ];
}
