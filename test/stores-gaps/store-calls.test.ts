import { describe, expect, test } from 'vitest';
import { STORE_CODES } from '../../src/domain/error-codes';
import { openStores } from '../../worker/stores';
import { copyToQuarantine, listQuarantined } from '../../worker/stores/quarantine';
import { RetentionPace } from '../../worker/stores/retention';
import { runSynchronously } from '../../worker/stores/run-synchronously';
import { envelope, openTestDatabase, refusalOf, setupStores, START } from '../stores/support/store-setup';

test('a clock that gives no instant is a mistake, and nothing is written', async () => {
  const database = await openTestDatabase();
  let now = START;
  const { coordinator } = openStores({ database, clock: () => now, newId: () => 'id' });
  now = 'noon';
  expect(() => coordinator.readOrCreateState()).toThrow('the clock gave "noon"');
  expect(database.prepare('SELECT 1 FROM local_sync_coordinator_state').all()).toEqual([]);
});

test('a promise from a callback is refused, and its rejection is nobody’s', () => {
  const heard: unknown[] = [];
  const promise = Promise.resolve();
  Reflect.set(promise, 'then', (...handlers: readonly unknown[]) => heard.push(...handlers));
  expect(refusalOf(() => runSynchronously(() => promise, STORE_CODES.ASYNC_TRANSACTION))).toBe(
    'ASYNC_TRANSACTION',
  );
  expect(heard).toEqual([undefined, expect.any(Function)]);
});

describe('retention by the way', () => {
  test('is due an interval after the last time, and where the clock was set back', () => {
    const pace = new RetentionPace({ nowMs: 1_000, intervalMs: 100 });
    expect([1_000, 1_099].map((ms) => pace.isDue(ms))).toEqual([false, false]);
    expect(pace.isDue(1_100)).toBe(true);
    expect([1_100, 1_199].map((ms) => pace.isDue(ms))).toEqual([false, false]);
    expect(pace.isDue(1_350)).toBe(true);
    expect(pace.isDue(1_349)).toBe(true);
    expect([1_349, 1_448, 1_449].map((ms) => pace.isDue(ms))).toEqual([false, false, true]);
  });
});

describe('quarantine', () => {
  test('lists the oldest first, as many as are asked for, with what JSON has no form of', async () => {
    const database = await openTestDatabase();
    copyToQuarantine(database, 't', { blob: new Uint8Array([1, 2]), big: 5n }, 'first', START);
    copyToQuarantine(database, 't', { text: 'x' }, 'second', START);
    expect(listQuarantined(database, 1)).toEqual([
      {
        quarantineId: 1,
        sourceTable: 't',
        rowJson: '{"blob":[1,2],"big":"5"}',
        reason: 'first',
        foundAt: START,
      },
    ]);
    expect(listQuarantined(database, 9).map(({ reason }) => reason)).toEqual(['first', 'second']);
  });

  test('takes the cursor that cannot be read, and neither its workspace’s nor its stream’s others', async () => {
    const { cursors, database } = await setupStores();
    const keys = [
      { workspaceId: 'w', stream: 'main' },
      { workspaceId: 'w', stream: 'other' },
      { workspaceId: 'w-2', stream: 'main' },
    ] as const;
    const put = database.prepare('INSERT INTO local_workspace_sync_cursors VALUES (?, ?, ?, 1, ?)');
    for (const [index, { workspaceId, stream }] of keys.entries())
      put.run([workspaceId, stream, index === 0 ? '{' : '1', START]);
    expect(keys.map((key) => cursors.readCommittedCursor(key))).toEqual([null, 1, 1]);
    expect(database.prepare('SELECT 1 FROM local_workspace_sync_cursors').all()).toHaveLength(2);
  });

  test('keeps a row once, though the call that met it is refused', async () => {
    const { coordinator, database } = await setupStores();
    coordinator.acceptCommand(envelope({ commandId: 'a' }));
    database.exec(`UPDATE local_sync_coordinator_commands SET args_json = '{' WHERE command_id = 'a'`);
    const claim = () =>
      database.transaction(() =>
        coordinator.claimNextRunnerCommand({
          workspaceId: 'w',
          coordinatorGeneration: 1,
          ownerMode: 'browser-gateway',
          cloudCapabilityAvailable: true,
        }),
      );
    expect(claim()).toBeNull();
    expect(coordinator.listQuarantined(9)).toHaveLength(1);
  });
});
