import { describe, expect, test } from 'vitest';
import { envelope, setupStores } from '../stores/support/store-setup';

const RUNNER = { workspaceId: 'w', coordinatorGeneration: 1, ownerMode: 'browser-gateway' } as const;

describe('a claim by id', () => {
  test('says null of a command that nobody knows', async () => {
    const { coordinator } = await setupStores();
    expect(coordinator.claimCommandForExecution({ ...RUNNER, commandId: 'none' })).toEqual({
      record: null,
      claimed: false,
    });
  });

  test.each([
    ['type', { type: 'TransferOwnership' }],
    ['workspace', { workspaceId: 'w-2' }],
    ['generation', { expectedCoordinatorGeneration: 2 }],
  ] as const)('leaves a waiting command of another %s as it is', async (_what, fields) => {
    const { coordinator } = await setupStores();
    const { record } = coordinator.acceptCommand(envelope({ commandId: 'a', ...fields }));
    expect(coordinator.claimCommandForExecution({ ...RUNNER, commandId: 'a' })).toEqual({
      record,
      claimed: false,
    });
    expect(coordinator.readCommand('a')).toEqual(record);
  });
});

test('of two that were asked for at once the lower id comes first', async () => {
  const { coordinator } = await setupStores();
  for (const commandId of ['b', 'a', 'c'])
    coordinator.acceptCommand(envelope({ commandId, args: commandId }));
  expect(coordinator.listAcceptedRunnerCommands(RUNNER).map(({ commandId }) => commandId)).toEqual([
    'a',
    'b',
    'c',
  ]);
  const next = coordinator.claimNextRunnerCommand({ ...RUNNER, cloudCapabilityAvailable: true });
  expect(next?.commandId).toBe('a');
});
