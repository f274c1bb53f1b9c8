import { describe, expect, test } from 'vitest';
import {
  REQUESTED_BY,
  envelope,
  refusalOf,
  setupStores,
  switchTo,
  type StoreSetup,
} from '../stores/support/store-setup';

const CHECKPOINTS = 'local_workspace_sync_runner_state';
const PERMITS = 'local_sync_execution_permits';

describe('a switch', () => {
  test('does not wait for a local commit of another workspace or generation', async () => {
    const setup = await setupStores();
    const { inLocalCommit, database, coordinator } = setup;
    const [elsewhere, earlier] = [inLocalCommit(), inLocalCommit()];
    database.exec(`UPDATE ${PERMITS} SET workspace_id = 'w-3' WHERE permit_id = '${elsewhere.permitId}';
      UPDATE ${PERMITS} SET coordinator_generation = 0 WHERE permit_id = '${earlier.permitId}'`);
    switchTo(setup, { commandId: 'sw', from: 'w', to: 'w-2', generation: 1 });
    expect(coordinator.readOrCreateState().activeWorkspaceId).toBe('w-2');
  });

  test('brings the checkpoints of its target to the generation that it raised, and no others', async () => {
    const setup = await setupStores();
    const { database, clock } = setup;
    const put = database.prepare(`INSERT INTO ${CHECKPOINTS} VALUES (?, ?, ?, 5, 'x')`);
    put.run(['w-2', 'strayed', 0]);
    put.run(['w-2', 'there', 2]);
    put.run(['w', 'left', 1]);
    switchTo(setup, { commandId: 'sw', from: 'w', to: 'w-2', generation: 1 });
    const rows = database.prepare(`SELECT * FROM ${CHECKPOINTS} ORDER BY runner_id`).all();
    expect(rows).toEqual([
      {
        workspace_id: 'w',
        runner_id: 'left',
        coordinator_generation: 1,
        checkpoint_revision: 5,
        updated_at: 'x',
      },
      {
        workspace_id: 'w-2',
        runner_id: 'strayed',
        coordinator_generation: 2,
        checkpoint_revision: 6,
        updated_at: clock.read(),
      },
      {
        workspace_id: 'w-2',
        runner_id: 'there',
        coordinator_generation: 2,
        checkpoint_revision: 5,
        updated_at: 'x',
      },
    ]);
  });
});

describe('a switch under way', () => {
  function begin({ coordinator }: StoreSetup): void {
    coordinator.beginWorkspaceSwitch({
      commandId: 'sw',
      expectedGeneration: 1,
      expectedActiveWorkspaceId: 'w',
      targetWorkspaceId: 'w-2',
      requestedBy: REQUESTED_BY,
    });
  }

  test('that fails leaves its command as it is where that was over before', async () => {
    const setup = await setupStores();
    const { coordinator } = setup;
    coordinator.acceptCommand(envelope({ commandId: 'sw', type: 'SwitchWorkspace' }));
    const over = coordinator.finishCommand({ commandId: 'sw', status: 'succeeded', result: { was: 'over' } });
    begin(setup);
    coordinator.failWorkspaceSwitch({ commandId: 'sw', errorCode: 'X', errorMessage: 'x' });
    expect(coordinator.readCommand('sw')).toEqual(over);
  });

  test('ends neither way where the row says that nothing is switched', async () => {
    const setup = await setupStores();
    const { coordinator } = setup;
    coordinator.acceptCommand(envelope({ commandId: 'sw', type: 'SwitchWorkspace' }));
    begin(setup);
    coordinator.markCommandRunning('sw');
    coordinator.setLifecycleMode('transitioning-workspace', 'idle');
    const ends = [
      () => coordinator.completeWorkspaceSwitch({ commandId: 'sw', targetWorkspaceId: 'w-2' }),
      () => coordinator.failWorkspaceSwitch({ commandId: 'sw', errorCode: 'X', errorMessage: 'x' }),
    ];
    expect(ends.map(refusalOf)).toEqual(['STALE_GENERATION', 'STALE_GENERATION']);
  });
});
