/** What becomes of commands of older generations when a transition has ended. */
import { describe, expect, test } from 'vitest';
import {
  REQUESTED_BY,
  envelope,
  setupStores,
  switchTo,
  type StoreSetup,
} from '../stores/support/store-setup';

const RUNNER = { workspaceId: 'w', coordinatorGeneration: 1, ownerMode: 'browser-gateway' } as const;

/** A switch that begins and fails, from generation 1. */
function failSwitch({ coordinator }: StoreSetup): void {
  coordinator.acceptCommand(envelope({ commandId: 'sw', type: 'SwitchWorkspace' }));
  coordinator.beginWorkspaceSwitch({
    commandId: 'sw',
    expectedGeneration: 1,
    expectedActiveWorkspaceId: 'w',
    targetWorkspaceId: 'w-2',
    requestedBy: REQUESTED_BY,
  });
  coordinator.failWorkspaceSwitch({ commandId: 'sw', errorCode: 'X', errorMessage: 'x' });
}

describe('a command that settles because its generation has passed', () => {
  test('loses the error that its requeueing left', async () => {
    const setup = await setupStores();
    const { coordinator } = setup;
    coordinator.acceptCommand(envelope({ commandId: 'a' }));
    coordinator.claimCommandForExecution({ ...RUNNER, commandId: 'a' });
    coordinator.recoverRunnerCommandsForRecreation(RUNNER);
    expect(coordinator.readCommand('a')?.errorMessage).not.toBeNull();
    switchTo(setup, { commandId: 'sw', from: 'w', to: 'w-2', generation: 1 });
    expect(coordinator.readCommand('a')).toMatchObject({
      status: 'superseded',
      errorCode: null,
      errorMessage: null,
    });
  });

  test('does so while it runs under a token as well, which ends with it', async () => {
    const setup = await setupStores();
    const { coordinator } = setup;
    coordinator.acceptCommand(envelope({ commandId: 'a' }));
    coordinator.claimCommandForExecution({ ...RUNNER, commandId: 'a', withToken: true });
    switchTo(setup, { commandId: 'sw', from: 'w', to: 'w-2', generation: 1 });
    expect(coordinator.readCommand('a')?.status).toBe('superseded');
  });
});

test('a running command of no runner does not settle with them: whoever runs it ends it', async () => {
  const setup = await setupStores();
  const { coordinator } = setup;
  coordinator.acceptCommand(envelope({ commandId: 'a', type: 'TransferOwnership' }));
  coordinator.markCommandRunning('a');
  switchTo(setup, { commandId: 'sw', from: 'w', to: 'w-2', generation: 1 });
  expect(coordinator.readCommand('a')?.status).toBe('running');
});

test('a runner command that expects a generation still to come does not move along', async () => {
  const setup = await setupStores();
  const { coordinator, clock } = setup;
  for (const generation of [2, 3]) {
    const commandId = `expects-${generation}`;
    coordinator.acceptCommand(envelope({ commandId, expectedCoordinatorGeneration: generation }));
  }
  const before = [2, 3].map((generation) => coordinator.readCommand(`expects-${generation}`));
  clock.move(1_000);
  failSwitch(setup);
  expect(coordinator.readOrCreateState().coordinatorGeneration).toBe(2);
  expect([2, 3].map((generation) => coordinator.readCommand(`expects-${generation}`))).toEqual(before);
});

describe('where no workspace is active', () => {
  test('a switch that fails settles nothing', async () => {
    const setup = await setupStores();
    const { coordinator, database } = setup;
    coordinator.acceptCommand(envelope({ commandId: 'nowhere', workspaceId: null }));
    database.exec('UPDATE local_sync_coordinator_state SET active_workspace_id = NULL');
    coordinator.beginWorkspaceSwitch({
      commandId: 'sw',
      expectedGeneration: 1,
      expectedActiveWorkspaceId: null,
      targetWorkspaceId: 'w-2',
      requestedBy: REQUESTED_BY,
    });
    coordinator.failWorkspaceSwitch({ commandId: 'sw', errorCode: 'X', errorMessage: 'x' });
    expect(coordinator.readCommand('nowhere')?.status).toBe('accepted');
  });
});
