import { expect, test } from 'vitest';
import { START, envelope, setupStores } from '../stores/support/store-setup';

const CLAIM = { workspaceId: 'w', coordinatorGeneration: 1 } as const;

/** Two commands that run, each with a first report. */
async function setup() {
  const setup = await setupStores('server');
  const { coordinator, clock } = setup;
  for (const commandId of ['a', 'b']) {
    coordinator.acceptCommand(envelope({ commandId, args: { of: commandId } }));
    coordinator.claimCommandForExecution({ ...CLAIM, commandId });
    coordinator.recordCommandProgress({ commandId, progress: 0 });
  }
  clock.move(5_000);
  return setup;
}

test('a report is of its own command, and a sign of life too', async () => {
  const { coordinator, clock } = await setup();
  const now = clock.read();
  const reported = { commandId: 'a', progress: { done: 1 }, heartbeatAt: now };
  expect(coordinator.recordCommandProgress({ commandId: 'a', progress: { done: 1 } })).toEqual(reported);
  expect(coordinator.readCommandProgress('b')).toEqual({ commandId: 'b', progress: 0, heartbeatAt: START });
});

test('a sign of life leaves the report as it is, and is of its own command', async () => {
  const { coordinator, clock } = await setup();
  const now = clock.read();
  expect(coordinator.heartbeatCommand({ commandId: 'a' })).toEqual({
    commandId: 'a',
    progress: 0,
    heartbeatAt: now,
  });
  expect(coordinator.readCommandProgress('b')).toEqual({ commandId: 'b', progress: 0, heartbeatAt: START });
});

test('a finished command takes neither, whatever token comes with them', async () => {
  const { coordinator } = await setup();
  coordinator.finishCommand({ commandId: 'a', status: 'succeeded' });
  const last = { commandId: 'a', progress: 0, heartbeatAt: START };
  expect(coordinator.heartbeatCommand({ commandId: 'a', claimToken: 'any' })).toEqual(last);
  expect(coordinator.recordCommandProgress({ commandId: 'a', progress: 9, claimToken: 'any' })).toEqual(last);
  expect(coordinator.readCommandProgress('a')).toEqual(last);
});

test('a waiting command takes neither', async () => {
  const { coordinator } = await setup();
  coordinator.acceptCommand(envelope({ commandId: 'c', type: 'Repair' }));
  const none = { commandId: 'c', progress: null, heartbeatAt: null };
  expect(coordinator.heartbeatCommand({ commandId: 'c' })).toEqual(none);
  expect(coordinator.recordCommandProgress({ commandId: 'c', progress: 1 })).toEqual(none);
});

test('a command that cannot be read has none, and goes to quarantine', async () => {
  const { coordinator, database } = await setup();
  database.exec(`UPDATE local_sync_coordinator_commands SET args_json = '{' WHERE command_id = 'a'`);
  expect(coordinator.readCommandProgress('a')).toBeNull();
  expect(coordinator.listQuarantined(10)).toHaveLength(1);
});
