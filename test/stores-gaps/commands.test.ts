import { describe, expect, test } from 'vitest';
import type { CommandEnvelope } from '../../src/domain/command';
import { START, envelope, refusalOf, setupStores, type StoreSetup } from '../stores/support/store-setup';

const RUNNER = { workspaceId: 'w', coordinatorGeneration: 1 } as const;
const LATER = '2026-03-01T00:00:09.000Z';

/** Runs a command and lets its runner be made anew: it waits again beside equal ones that came meanwhile. */
function runAndRequeue(
  { coordinator }: StoreSetup,
  command: CommandEnvelope,
  meanwhile: CommandEnvelope,
): void {
  coordinator.acceptCommand(command);
  coordinator.claimCommandForExecution({ ...RUNNER, commandId: command.commandId });
  coordinator.acceptCommand(meanwhile);
  coordinator.recoverRunnerCommandsForRecreation(RUNNER);
}

describe('the leader of equal commands that wait', () => {
  test('is the one asked for first', async () => {
    const setup = await setupStores('server');
    runAndRequeue(
      setup,
      envelope({ commandId: 'a', requestedAt: LATER }),
      envelope({ commandId: 'b', requestedAt: START }),
    );
    const { record } = setup.coordinator.acceptCommand(envelope({ commandId: 'c' }));
    expect(record.result).toEqual({ disposition: 'coalesced', leaderCommandId: 'b' });
  });

  test('is the lower id where both were asked for at once', async () => {
    const setup = await setupStores('server');
    runAndRequeue(setup, envelope({ commandId: 'b' }), envelope({ commandId: 'a' }));
    const { record } = setup.coordinator.acceptCommand(envelope({ commandId: 'c' }));
    expect(record.result).toEqual({ disposition: 'coalesced', leaderCommandId: 'a' });
  });
});

describe('an overruled command', () => {
  test('loses the error that its requeueing left', async () => {
    const { coordinator } = await setupStores('server');
    coordinator.acceptCommand(envelope({ commandId: 'a' }));
    coordinator.claimCommandForExecution({ ...RUNNER, commandId: 'a' });
    coordinator.recoverRunnerCommandsForRecreation(RUNNER);
    expect(coordinator.readCommand('a')?.errorCode).toBe('SYNC_COORDINATOR_RUNNER_RECREATED');
    expect(coordinator.readCommand('a')?.errorMessage).not.toBeNull();
    coordinator.acceptCommand(envelope({ commandId: 'b', type: 'DisableSync' }));
    expect(coordinator.readCommand('a')).toMatchObject({
      status: 'superseded',
      errorCode: null,
      errorMessage: null,
    });
  });
});

describe('a record', () => {
  test('has null where a caller leaves the arguments out', async () => {
    const { coordinator } = await setupStores();
    const { args: _args, ...rest } = envelope({ commandId: 'a' });
    expect(coordinator.acceptCommand(rest as CommandEnvelope).record.args).toBeNull(); // a caller without types
    expect(coordinator.readCommand('a')?.args).toBeNull();
  });

  test('has null for a requester that is none', async () => {
    const { coordinator } = await setupStores();
    const nobody = envelope({ commandId: 'a', requestedBy: null as never }); // likewise
    coordinator.acceptCommand(nobody);
    expect(coordinator.readCommand('a')?.requestedBy).toBeNull();
  });

  test.each(['null', '5', '"u"', '[]', '[{"userId":"u"}]'])(
    'has null for a stored requester that is no object: %s',
    async (stored) => {
      const { coordinator, database } = await setupStores();
      coordinator.acceptCommand(envelope({ commandId: 'a' }));
      database.prepare('UPDATE local_sync_coordinator_commands SET requested_by_json = ?').run([stored]);
      expect(coordinator.readCommand('a')?.requestedBy).toBeNull();
    },
  );

  test('that names itself is kept no longer for it', async () => {
    const { coordinator, database } = await setupStores();
    coordinator.acceptCommand(envelope({ commandId: 'a' }));
    coordinator.finishCommand({ commandId: 'a', status: 'succeeded', result: { commandId: 'a' } });
    const references = database.prepare('SELECT command_id FROM local_sync_command_references').all();
    expect(references).toEqual([]);
  });
});

describe('a command that is not there', () => {
  test('is null to whoever would run or finish it', async () => {
    const { coordinator } = await setupStores();
    expect(coordinator.markCommandRunning('none')).toBeNull();
    expect(coordinator.finishCommand({ commandId: 'none', status: 'succeeded' })).toBeNull();
    expect(coordinator.readCommand('none')).toBeNull();
    expect(coordinator.readCommandProgress('none')).toBeNull();
    expect(coordinator.heartbeatCommand({ commandId: 'none' })).toBeNull();
  });

  test('can be accepted under the id of a row that could not be read', async () => {
    const { coordinator, database } = await setupStores();
    coordinator.acceptCommand(envelope({ commandId: 'a' }));
    database.exec(`UPDATE local_sync_coordinator_commands SET args_json = '{' WHERE command_id = 'a'`);
    expect(coordinator.acceptCommand(envelope({ commandId: 'a', type: 'Repair' }))).toMatchObject({
      record: { type: 'Repair', status: 'accepted' },
      replayed: false,
    });
    expect(coordinator.listQuarantined(10)).toHaveLength(1);
  });
});

describe('a command that owns a transition', () => {
  test('is finished by that alone', async () => {
    const { coordinator } = await setupStores();
    coordinator.acceptCommand(envelope({ commandId: 'sw', type: 'SwitchWorkspace' }));
    coordinator.beginWorkspaceSwitch({
      commandId: 'sw',
      expectedGeneration: 1,
      expectedActiveWorkspaceId: 'w',
      targetWorkspaceId: 'w-2',
      requestedBy: { userId: 'u', tenantId: 't' },
    });
    const finish = { commandId: 'sw', status: 'succeeded' } as const;
    expect(refusalOf(() => coordinator.finishCommand(finish))).toBe('COMMAND_INVALID');
    expect(coordinator.readCommand('sw')?.status).toBe('accepted');
  });
});

test('the raw setter sets both, and nothing else', async () => {
  const { coordinator } = await setupStores();
  const before = coordinator.readOrCreateState();
  const after = coordinator.setLifecycleMode('server', 'transferring-ownership');
  expect(after).toEqual({ ...before, ownershipMode: 'server', transitionState: 'transferring-ownership' });
  expect(coordinator.readOrCreateState()).toEqual(after);
});
