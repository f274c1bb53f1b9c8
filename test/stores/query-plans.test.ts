import { describe, expect, test } from 'vitest';
import type { Database } from '../../worker/database';
import { openStores } from '../../worker/stores';
import { envelope, openTestDatabase, setupStores, toFence, TestClock } from './support/store-setup';

/** Tables that grow with history; nothing on a call's path may walk one of them from end to end. */
const GROWING = [
  'local_sync_coordinator_commands',
  'local_sync_execution_permits',
  'local_sync_recovery_obligations',
  'local_sync_command_references',
];

/** Indexes that hold only what is not finished, so that walking one is walking what is open. */
const OPEN_INDEXES = [
  'local_sync_coordinator_commands_open',
  'local_sync_execution_permits_active',
  'local_sync_execution_permits_deadline',
  'local_sync_recovery_obligations_open',
];

/** History indexes that retention walks from one end, for as many rows as it may delete or must keep. */
const HISTORY_INDEXES = [
  'local_sync_coordinator_commands_history',
  'local_sync_execution_permits_history',
  'local_sync_recovery_obligations_history',
];

/** Notes every statement that is prepared through it. */
function spyOn(database: Database): { readonly spied: Database; readonly statements: Set<string> } {
  const statements = new Set<string>();
  const spied: Database = {
    provider: database.provider,
    prepare: (sql) => {
      statements.add(sql);
      return database.prepare(sql);
    },
    transaction: (work) => database.transaction(work),
    get isInTransaction() {
      return database.isInTransaction;
    },
  };
  return { spied, statements };
}

function countParameters(sql: string): number {
  const numbered = [...sql.matchAll(/\?(\d+)/g)].map(([, index]) => Number(index));
  return numbered.length > 0 ? Math.max(...numbered) : [...sql.matchAll(/\?/g)].length;
}

/** The steps of a statement's plan that walk a growing table, or an index of it that holds its history. */
function findScans(database: Database, sql: string): readonly string[] {
  return database
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all(Array.from({ length: countParameters(sql) }, () => null))
    .map((row) => String(row['detail']))
    .filter((detail) => {
      const [, name = '', index] = /^SCAN (\S+)(?:.* USING (?:COVERING )?INDEX (\S+))?/.exec(detail) ?? [];
      if (name === '' || !(GROWING.includes(name) || /^[a-z]$/.test(name))) return false;
      return index === undefined || ![...OPEN_INDEXES, ...HISTORY_INDEXES].includes(index);
    });
}

async function setupSpied() {
  const { spied, statements } = spyOn(await openTestDatabase());
  const clock = new TestClock();
  let ids = 0;
  const stores = openStores({ database: spied, clock: clock.read, newId: () => `id-${++ids}` });
  const { coordinator } = stores;
  coordinator.setLifecycleMode('browser-gateway', 'idle');
  coordinator.acceptCommand(
    envelope({
      commandId: 'boot',
      workspaceId: null,
      expectedCoordinatorGeneration: 0,
      type: 'SwitchWorkspace',
    }),
  );
  coordinator.beginWorkspaceSwitch({
    commandId: 'boot',
    expectedGeneration: 0,
    expectedActiveWorkspaceId: null,
    targetWorkspaceId: 'w',
    requestedBy: { userId: 'u', tenantId: 't' },
  });
  coordinator.markCommandRunning('boot');
  coordinator.completeWorkspaceSwitch({ commandId: 'boot', targetWorkspaceId: 'w' });
  return { ...stores, database: spied, statements, clock };
}

type Spied = Awaited<ReturnType<typeof setupSpied>>;
const FENCE = { workspaceId: 'w', coordinatorGeneration: 1, serverInstanceId: 's-1' } as const;
const ISSUE = { ...FENCE, operationClass: 'push', deadlineAt: '2026-03-01T01:00:00.000Z' } as const;

function abandonOne({ permits }: Spied, operationIdentity: string): void {
  const permit = permits.issue({ ...ISSUE, operationIdentity });
  permits.transition({
    ...toFence(permit),
    expectedState: 'issued-idle',
    nextState: 'gateway-in-flight',
  });
  permits.transition({
    ...toFence(permit),
    expectedState: 'gateway-in-flight',
    nextState: 'gateway-complete-awaiting-apply',
    upstreamDisposition: 'accepted',
  });
  permits.abandonPermit({ ...toFence(permit), errorCode: 'WORKSPACE_SYNC_V3_APPLY_NOT_COMMITTED' });
}

/** Everything that a tab's call, the runner, a drain, recovery or retention asks, tables filled or not. */
const PATHS: Readonly<Record<string, (setup: Spied) => void>> = {
  'issuing, starting, answering and releasing': ({ permits }) => {
    const permit = permits.issue({ ...ISSUE, operationIdentity: 'op' });
    permits.transition({
      ...toFence(permit),
      expectedState: 'issued-idle',
      nextState: 'gateway-in-flight',
    });
    permits.transition({
      ...toFence(permit),
      expectedState: 'gateway-in-flight',
      nextState: 'gateway-complete-awaiting-apply',
      upstreamDisposition: 'rejected',
    });
    permits.release(toFence(permit));
  },
  'abandoning with an obligation that coalesces': (setup) => {
    abandonOne(setup, 'op-1');
    abandonOne(setup, 'op-1');
  },
  'expiry, recovery, adoption and holders': ({ permits }) => {
    permits.recoverExpiredPermits({ workspaceId: 'w', currentServerInstanceId: 's-1' });
    permits.adoptPermits({ currentServerInstanceId: 's-2', holderIds: ['tab-1'] });
    permits.recoverPriorServerPermits({ currentServerInstanceId: 's-2' });
    permits.recoverPriorServerPermits({ currentServerInstanceId: 's-2', workspaceId: 'w' });
    permits.abandonHolderPermits({ holderId: 'tab-1', currentServerInstanceId: 's-2' });
  },
  'drains and summaries': ({ permits }) => {
    permits.summarize('w');
    permits.inspectGenerationDrain({ workspaceId: 'w', coordinatorGeneration: 1 });
    permits.abandonNeverStartedForDrain({ workspaceId: 'w', coordinatorGeneration: 1 });
  },
  obligations: ({ permits }) => {
    permits.listOpenRecoveryObligations('w');
    permits.inspectAuthoritativeRepairRecoveryObligations('w');
    permits.settleOvertakenObligations({
      workspaceId: 'w',
      coordinatorGeneration: 1,
      ownerMode: 'browser-gateway',
      stream: 'main',
    });
    permits.resolveAuthoritativeRepairRecoveryObligations({
      workspaceId: 'w',
      coordinatorGeneration: 1,
      ownerMode: 'browser-gateway',
      repairId: 'r',
      stateSignatureSha256: 's',
    });
  },
  'retention of permits': ({ permits }) => void permits.pruneTerminalHistory(),
  'accepting, coalescing, overruling, listing and claiming': ({ coordinator }) => {
    coordinator.acceptCommand(envelope({ commandId: 'c1' }), { requireActiveWorkspace: true });
    coordinator.acceptCommand(envelope({ commandId: 'c2' }));
    coordinator.acceptCommand(envelope({ commandId: 'c3', type: 'Repair' }));
    coordinator.listAcceptedRunnerCommands({ workspaceId: 'w', coordinatorGeneration: 1 });
    const runner = { workspaceId: 'w', coordinatorGeneration: 1, ownerMode: 'browser-gateway' } as const;
    coordinator.claimNextRunnerCommand({ ...runner, cloudCapabilityAvailable: false });
    coordinator.claimNextRunnerCommand({ ...runner, cloudCapabilityAvailable: true });
    coordinator.recoverRunnerCommandsForRecreation(runner);
    coordinator.claimNextRunnerCommand({ ...runner, cloudCapabilityAvailable: true });
    coordinator.finishCommand({ commandId: 'c3', status: 'succeeded', result: { leaderCommandId: 'c1' } });
  },
  'a switch and the recovery after a restart': ({ coordinator }) => {
    coordinator.beginWorkspaceSwitch({
      commandId: 'sw',
      expectedGeneration: 1,
      expectedActiveWorkspaceId: 'w',
      targetWorkspaceId: 'w-2',
      requestedBy: { userId: 'u', tenantId: 't' },
    });
    coordinator.failWorkspaceSwitch({ commandId: 'sw', errorCode: 'X', errorMessage: 'x' });
    coordinator.recoverAfterRestart({ neverStarted: 'keep' });
  },
  'retention of commands': ({ coordinator, clock }) => {
    for (let i = 0; i < 1_002; i++) {
      const commandId = `old-${i}`;
      coordinator.acceptCommand(envelope({ commandId, expectedCoordinatorGeneration: 9 }));
      coordinator.finishCommand({ commandId, status: 'failed' });
    }
    clock.moveDays(8);
    coordinator.pruneTerminalCommands();
  },
};

describe('no statement walks history', () => {
  test.each(Object.entries(PATHS))('%s', async (_name, walk) => {
    const setup = await setupSpied();
    setup.statements.clear();
    walk(setup);
    const own = [...setup.statements].filter(
      (sql) => !/^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)/.test(sql),
    );
    expect(own.length).toBeGreaterThan(0);
    const scans = own.flatMap((sql) => findScans(setup.database, sql).map((scan) => `${scan} in ${sql}`));
    expect(scans).toEqual([]);
  });

  test('a statement that does is found', async () => {
    const { database } = await setupStores();
    const sql = `SELECT permit_id FROM local_sync_execution_permits p WHERE p.error_code = 'X'`;
    expect(findScans(database, sql)).toEqual(['SCAN p']);
  });

  test('the permits of one mutation are found by index', async () => {
    const { database } = await setupStores();
    const sql = `SELECT permit_id FROM local_sync_execution_permits
      WHERE workspace_id = 'w' AND operation_class = 'push' AND operation_identity = 'op'`;
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    expect(plan.map((row) => row['detail']).join()).toContain('local_sync_execution_permits_identity');
  });
});
