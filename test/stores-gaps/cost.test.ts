/** What calls cost, in instructions of SQLite's virtual machine: no clock, so equal means equal. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { STORE_MIGRATIONS } from '../../migrations/migrations.generated';
import type { CompletionGroup } from '../../src/domain/completion-group';
import type { IssueInput, Permit } from '../../src/domain/permit';
import { readOperationStanding } from '../../worker/stores/operation-history';
import { openStores, type Stores } from '../../worker/stores';
import { fillHistory } from '../bench/history/fill-history';
import { TestClock, envelope, switchTo, toFence } from '../stores/support/store-setup';
import { openCounted, toOwned, type CountedDatabase } from './support';

const FEW = 100;
const MANY = 5_000;

interface Setup extends Stores {
  readonly counted: CountedDatabase;
  readonly clock: TestClock;
  answered(input: Partial<IssueInput>): Permit;
  issueInput(input?: Partial<IssueInput>): IssueInput;
}

/** Stores with so many finished commands, permits and obligations, none of them old enough to go. */
async function setup(rows: number): Promise<Setup> {
  const counted = await openCounted();
  onTestFinished(counted.close);
  const { database } = counted;
  for (const { sql } of STORE_MIGRATIONS) database.exec(sql);
  const clock = new TestClock();
  for (const table of ['commands', 'permits', 'obligations'] as const) {
    fillHistory(database, table, rows, clock.read());
  }
  let ids = 0;
  const stores = openStores({ database, clock: clock.read, newId: () => `id-${++ids}` });
  stores.coordinator.setLifecycleMode('browser-gateway', 'idle');
  switchTo(stores, { commandId: 'boot', from: null, to: 'w', generation: 0 });
  const issueInput = (input: Partial<IssueInput> = {}): IssueInput => ({
    workspaceId: 'w',
    coordinatorGeneration: 1,
    serverInstanceId: 's',
    operationClass: 'pull',
    deadlineAt: clock.in(60_000),
    ...input,
  });
  const answered = (input: Partial<IssueInput>): Permit => {
    const fence = toFence(stores.permits.issue(issueInput(input)));
    stores.permits.transition({
      ...fence,
      expectedState: 'issued-idle',
      nextState: 'gateway-in-flight',
    });
    return stores.permits.transition({
      ...fence,
      expectedState: 'gateway-in-flight',
      nextState: 'gateway-complete-awaiting-apply',
      upstreamDisposition: 'accepted',
    });
  };
  return { ...stores, counted, clock, answered, issueInput };
}

const RUNNER = { workspaceId: 'w', coordinatorGeneration: 1, ownerMode: 'browser-gateway' } as const;

function toGroup(permit: Permit): CompletionGroup {
  return {
    ...RUNNER,
    permitIds: [permit.permitId],
    serverInstanceId: 's',
    previousBoundary: null,
    expectedBoundary: 1,
  };
}

function toBatch(identity: string) {
  return { version: 1, projection: 'v2-push', batchOperationIdentities: [identity] } as const;
}

/** Something abandoned while it was applied, so that an obligation is open. */
function leaveObligation({ permits, answered }: Setup, input: Partial<IssueInput>, errorCode = 'X'): void {
  permits.abandonPermit({ ...toFence(answered(input)), errorCode });
}

/** Each returns the call that is counted, after it has prepared for it. */
const CALLS: Readonly<Record<string, (setup: Setup) => () => unknown>> = {
  'accepting a command': ({ coordinator }) => {
    return () => coordinator.acceptCommand(envelope({ commandId: 'c' }), { requireActiveWorkspace: true });
  },
  'accepting one that coalesces': ({ coordinator }) => {
    coordinator.acceptCommand(envelope({ commandId: 'c' }));
    return () => coordinator.acceptCommand(envelope({ commandId: 'd' }));
  },
  'accepting one that overrules': ({ coordinator }) => {
    coordinator.acceptCommand(envelope({ commandId: 'c' }));
    return () => coordinator.acceptCommand(envelope({ commandId: 'd', type: 'DisableSync' }));
  },
  'claiming, requeueing and finishing a command': ({ coordinator }) => {
    coordinator.acceptCommand(envelope({ commandId: 'c' }));
    return () => {
      coordinator.claimNextRunnerCommand({ ...RUNNER, cloudCapabilityAvailable: true });
      coordinator.recoverRunnerCommandsForRecreation(RUNNER);
      coordinator.finishCommand({ commandId: 'c', status: 'succeeded' });
    };
  },
  'issuing a permit': ({ permits, issueInput }) => {
    return () => permits.issue(issueInput());
  },
  'starting, answering and releasing one': ({ permits, answered }) => {
    return () => permits.release(toFence(answered({ operationClass: 'handshake' })));
  },
  'asking how a push stands': ({ counted }) => {
    return () =>
      readOperationStanding(counted.database, { workspaceId: 'w', operationIdentity: 'op-00000007' });
  },
  expiry: ({ permits, answered, clock }) => {
    answered({});
    clock.move(120_000);
    return () => permits.recoverExpiredPermits({ workspaceId: 'w', currentServerInstanceId: 's' });
  },
  'a new writer': ({ permits, coordinator, answered }) => {
    answered({ holderId: 'tab' });
    answered({});
    return () => {
      permits.adoptPermits({ currentServerInstanceId: 's-2', holderIds: ['tab'] });
      permits.recoverPriorServerPermits({ currentServerInstanceId: 's-2' });
      coordinator.recoverAfterRestart({ neverStarted: 'keep' });
    };
  },
  'a drain': ({ permits, issueInput }) => {
    permits.issue(issueInput());
    return () => {
      permits.inspectGenerationDrain({ workspaceId: 'w', coordinatorGeneration: 1 });
      permits.abandonNeverStartedForDrain({ workspaceId: 'w', coordinatorGeneration: 1 });
      permits.summarize('w');
    };
  },
  'entering and completing a group': ({ permits, answered }) => {
    const group = toGroup(answered({}));
    return () => {
      permits.enterLocalCommitGroup(group);
      permits.completeLocalCommitGroup(group, () => undefined);
    };
  },
  'resolving refetches by a group': (setup) => {
    leaveObligation(setup, {});
    const group = toGroup(setup.answered({}));
    return () => {
      setup.permits.enterLocalCommitGroup(group);
      const [obligation] = setup.permits.listResolvableRecoveryObligations(group);
      const obligationIds = [obligation?.obligationId ?? ''];
      setup.permits.resolveRecoveryObligations({ completionGroup: group, obligationIds }, () => 1);
    };
  },
  'completing a push whose replay is open': (setup) => {
    const push = {
      operationClass: 'push',
      operationIdentity: 'op',
      lastCommittedCursor: toBatch('op'),
    } as const;
    leaveObligation(setup, push);
    const { permitIds, ...scope } = toGroup(setup.answered(push));
    return () =>
      setup.permits.completeAcceptedPushEchoGroup(
        { ...scope, permitIds, pushBoundary: toBatch('op') },
        () => 1,
      );
  },
  'completing a dispatch whose replay is open': (setup) => {
    const dispatch = { operationClass: 'v3-dispatch', operationIdentity: 'op' } as const;
    leaveObligation(setup, dispatch);
    const permit = setup.answered(dispatch);
    return () =>
      setup.permits.completeAcceptedV3Dispatch({ ...toOwned(permit), operationIdentity: 'op' }, () => 1);
  },
  'acknowledging a handshake': (setup) => {
    leaveObligation(setup, { operationClass: 'handshake' });
    const permit = setup.answered({ operationClass: 'handshake' });
    return () => setup.permits.acknowledgeNonApplyingCompletion(toOwned(permit));
  },
  'an apply that fails as it failed before': (setup) => {
    leaveObligation(setup, {}, 'WORKSPACE_SYNC_V3_APPLY_NOT_COMMITTED');
    return () => leaveObligation(setup, {}, 'WORKSPACE_SYNC_V3_APPLY_NOT_COMMITTED');
  },
  'listing obligations, and a repair': (setup) => {
    leaveObligation(setup, {});
    return () => {
      setup.permits.listOpenRecoveryObligations('w');
      setup.permits.settleOvertakenObligations({ ...RUNNER, stream: 'main' });
      setup.permits.resolveAuthoritativeRepairRecoveryObligations({
        ...RUNNER,
        repairId: 'r',
        stateSignatureSha256: 's',
      });
    };
  },
  'a transfer that fails': ({ coordinator }) => {
    const command = envelope({ commandId: 't', type: 'TransferOwnership', args: { targetMode: 'server' } });
    coordinator.acceptCommand(command);
    return () => {
      const { commandId, requestedBy } = command;
      const input = { commandId, requestedBy, expectedGeneration: 1, workspaceId: 'w', version: 1 };
      coordinator.beginOwnershipTransfer({ ...input, targetMode: 'server' });
      coordinator.advanceOwnershipTransfer({ commandId, expectedPhase: 'preparing', nextPhase: 'draining' });
      coordinator.advanceOwnershipTransferGeneration({ commandId, expectedSourceGeneration: 1 });
      coordinator.failOwnershipTransfer({
        commandId,
        fallbackMode: 'browser-gateway',
        errorCode: 'X',
        errorMessage: 'x',
      });
    };
  },
  'a switch': (stores) => () => switchTo(stores, { commandId: 'sw', from: 'w', to: 'w-2', generation: 1 }),
};

describe('a long history costs nothing more', () => {
  test.each(Object.entries(CALLS))('%s', async (_name, prepare) => {
    const [few, many] = [await setup(FEW), await setup(MANY)];
    const costs = [few, many].map((one) => one.counted.count(prepare(one)));
    expect(costs[1]).toBe(costs[0]);
    expect(costs[0]).toBeGreaterThan(0);
  });

  test('a statement that looks at history shows', async () => {
    const [few, many] = [await setup(FEW), await setup(MANY)];
    const sql = `SELECT permit_id FROM local_sync_execution_permits WHERE error_code = 'X'`;
    const look = ({ counted }: Setup): number => counted.count(() => counted.database.prepare(sql).all());
    expect(look(many)).toBeGreaterThan(look(few));
  });
});

describe('retention costs what it deletes', () => {
  test.each(['commands', 'permits'] as const)('of %s', async (kind) => {
    const costs: number[] = [];
    for (const rows of [2_000, MANY]) {
      const { coordinator, permits, counted, clock } = await setup(rows);
      clock.moveDays(8);
      const prune = (): unknown =>
        kind === 'commands' ? coordinator.pruneTerminalCommands() : permits.pruneTerminalHistory();
      costs.push(counted.count(prune));
    }
    expect(costs[1]).toBe(costs[0]);
  });
});
