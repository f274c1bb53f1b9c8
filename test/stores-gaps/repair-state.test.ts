/** A coordinator's row that cannot be read is written anew by the recovery after a restart. */
import { describe, expect, test } from 'vitest';
import { openStores } from '../../worker/stores';
import { REQUESTED_BY, envelope, openTestDatabase, setupStores, START } from '../stores/support/store-setup';

const STATE = 'local_sync_coordinator_state';
const UNREADABLE = `ownership_mode = 'nobody'`;

/** Stores whose coordinator cannot be read; `also` is what else is odd about its row. */
async function setup(also: readonly string[] = []) {
  const setup = await setupStores();
  const damage = (...assignments: readonly string[]): void =>
    setup.database.exec(`PRAGMA ignore_check_constraints = ON;
      UPDATE ${STATE} SET ${[UNREADABLE, ...assignments].join(', ')};
      PRAGMA ignore_check_constraints = OFF`);
  damage(...also);
  return { ...setup, damage };
}

describe('a coordinator that cannot be read', () => {
  test('starts over stopped and idle, one generation up, with what could be read of it', async () => {
    const { coordinator } = await setup([`desired_ownership_mode = 'server'`]);
    expect(coordinator.recoverAfterRestart()).toMatchObject({
      quarantinedCount: 1,
      interruptedCommandCount: 0,
    });
    expect(coordinator.readOrCreateState()).toEqual({
      activeWorkspaceId: 'w',
      coordinatorGeneration: 2,
      localDataVersion: 0,
      ownershipMode: 'stopped',
      desiredOwnershipMode: 'server',
      transitionState: 'idle',
      acceptedSwitchCommandId: null,
      targetWorkspaceId: null,
      requestedBy: null,
      terminalSwitchResult: null,
      terminalTransferResult: null,
      acceptedTransferCommandId: null,
      transferTargetMode: null,
      transferPhase: null,
      transferVersion: null,
      updatedAt: START,
    });
  });

  test('wants the browser where what it wanted cannot be read', async () => {
    const { coordinator } = await setup([`desired_ownership_mode = 'nobody'`]);
    expect(coordinator.recoverAfterRestart().state.desiredOwnershipMode).toBe('browser-gateway');
  });

  test('forgets the transition that was under way, and how earlier ones ended', async () => {
    const { coordinator, database } = await setup([
      `transition_state = 'transferring-ownership', accepted_transfer_command_id = 't', transfer_version = 1,
        transfer_target_mode = 'server', transfer_phase = 'draining', requested_by_json = '{}',
        accepted_switch_command_id = 's', target_workspace_id = 'w-2', terminal_switch_result_json = '1',
        terminal_transfer_result_json = '2'`,
    ]);
    coordinator.recoverAfterRestart();
    const row = database.prepare(`SELECT * FROM ${STATE}`).get() ?? {};
    expect(row).toMatchObject({ transition_state: 'idle', active_workspace_id: 'w' });
    const cleared = Object.entries(row).filter(([, value]) => value === null);
    expect(cleared.map(([column]) => column)).toEqual([
      'accepted_switch_command_id',
      'target_workspace_id',
      'requested_by_json',
      'terminal_switch_result_json',
      'terminal_transfer_result_json',
      'accepted_transfer_command_id',
      'transfer_target_mode',
      'transfer_phase',
      'transfer_version',
    ]);
  });

  test('has no workspace where its name is empty', async () => {
    const { coordinator, database } = await setup([`active_workspace_id = ''`]);
    expect(coordinator.recoverAfterRestart().state.activeWorkspaceId).toBeNull();
    expect(database.prepare(`SELECT active_workspace_id AS id FROM ${STATE}`).get()).toEqual({ id: null });
  });

  test('keeps its data version where that can be read, and starts it over where not', async () => {
    const { coordinator, damage } = await setup(['local_data_version = 7']);
    expect(coordinator.recoverAfterRestart().state.localDataVersion).toBe(7);
    damage('local_data_version = 9007199254740993');
    expect(coordinator.recoverAfterRestart().state.localDataVersion).toBe(0);
  });

  test('counts its generation from nothing where it cannot be read and no row knows one', async () => {
    const { coordinator, database } = await setup(['coordinator_generation = 9007199254740993']);
    database.exec('DELETE FROM local_sync_coordinator_commands');
    expect(coordinator.recoverAfterRestart().state.coordinatorGeneration).toBe(1);
  });
});

describe('the new generation is above the highest that is known', () => {
  test.each([
    ['the row itself', 'coordinator_generation = 41', ''],
    ['a command', '', `UPDATE local_sync_coordinator_commands SET expected_coordinator_generation = 41`],
    ['a permit', '', `UPDATE local_sync_execution_permits SET coordinator_generation = 41`],
    ['a checkpoint', '', `INSERT INTO local_workspace_sync_runner_state VALUES ('w-2', 'r', 41, 0, 'x')`],
  ])('to %s', async (_who, assignment, sql) => {
    const setup = await setupStores();
    setup.permits.issue(setup.issueInput());
    const assignments = [UNREADABLE, assignment].filter(Boolean).join(', ');
    setup.database.exec(`${sql};
      PRAGMA ignore_check_constraints = ON; UPDATE ${STATE} SET ${assignments}`);
    expect(setup.coordinator.recoverAfterRestart().state.coordinatorGeneration).toBe(42);
  });
});

test('a recovery before the first row makes it', async () => {
  const database = await openTestDatabase();
  const { coordinator } = openStores({ database, clock: () => START, newId: () => 'id' });
  const { state, quarantinedCount } = coordinator.recoverAfterRestart();
  expect(state).toMatchObject({
    coordinatorGeneration: 0,
    ownershipMode: 'stopped',
    transitionState: 'idle',
  });
  expect(quarantinedCount).toBe(0);
});

describe('a recovery', () => {
  test('moves the commands that it cannot read to quarantine', async () => {
    const { coordinator, database } = await setupStores();
    coordinator.acceptCommand(envelope({ commandId: 'a' }));
    database.exec(`UPDATE local_sync_coordinator_commands SET args_json = '{' WHERE command_id = 'a'`);
    expect(coordinator.recoverAfterRestart().quarantinedCount).toBe(1);
    expect(coordinator.listQuarantined(10)).toMatchObject([
      { sourceTable: 'local_sync_coordinator_commands', rowJson: expect.stringContaining('"a"') },
    ]);
  });

  test('keeps no command of no workspace where none is active', async () => {
    const { coordinator, database } = await setupStores();
    coordinator.acceptCommand(envelope({ commandId: 'nowhere', workspaceId: null }));
    database.exec(`UPDATE ${STATE} SET active_workspace_id = NULL`);
    coordinator.recoverAfterRestart({ neverStarted: 'keep' });
    expect(coordinator.readCommand('nowhere')?.status).toBe('failed');
  });

  test('leaves no record of a transfer that was not under way', async () => {
    const { coordinator } = await setupStores();
    coordinator.acceptCommand(
      envelope({ commandId: 't', type: 'TransferOwnership', args: { targetMode: 'server' } }),
    );
    coordinator.beginOwnershipTransfer({
      commandId: 't',
      expectedGeneration: 1,
      workspaceId: 'w',
      targetMode: 'server',
      version: 1,
      requestedBy: REQUESTED_BY,
    });
    // The raw setter leaves the transfer's columns as they are.
    coordinator.setLifecycleMode('server', 'idle');
    expect(coordinator.recoverAfterRestart().state.terminalTransferResult).toBeNull();
    expect(coordinator.readCommand('t')).toMatchObject({ status: 'failed', result: null });
  });
});
