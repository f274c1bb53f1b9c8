/** What a runner that was made anew gives back, and what a later intent says about that. */
import { describe, expect, test } from 'vitest';
import type { CommandEnvelope } from '../../src/domain/command';
import type { RunnerCommandType } from '../../src/domain/coordinator-vocabulary';
import { envelope, setupStores } from '../stores/support/store-setup';

const RUNNER = { workspaceId: 'w', coordinatorGeneration: 1, ownerMode: 'browser-gateway' } as const;

async function setup() {
  const setup = await setupStores();
  const { coordinator } = setup;
  const run = (commandId: string, type: RunnerCommandType, fields: Partial<CommandEnvelope> = {}): void => {
    coordinator.acceptCommand(envelope({ commandId, type, ...fields }));
    coordinator.markCommandRunning(commandId);
  };
  const outcomeOf = (commandId: string): string => {
    const record = coordinator.readCommand(commandId);
    const result = record?.result as { readonly supersedingCommandId?: string } | null | undefined;
    return result?.supersedingCommandId ?? record?.status ?? 'unknown';
  };
  return { ...setup, run, outcomeOf };
}

describe('a running command', () => {
  test.each([
    ['repair', 'disable'],
    ['disable', 'repair'],
  ])('is overruled by the newest: %s, then %s', async (first, second) => {
    const { coordinator, run, outcomeOf } = await setup();
    run('sync', 'Sync');
    for (const commandId of [first, second])
      run(commandId, commandId === 'repair' ? 'Repair' : 'DisableSync');
    coordinator.recoverRunnerCommandsForRecreation(RUNNER);
    expect(outcomeOf('sync')).toBe(second);
  });

  test('is not overruled by one of another workspace, nor by one that failed', async () => {
    const { coordinator, run, outcomeOf } = await setup();
    run('sync', 'Sync');
    run('elsewhere', 'DisableSync', { workspaceId: 'w-2' });
    run('failed', 'DisableSync');
    coordinator.finishCommand({ commandId: 'failed', status: 'failed' });
    expect(coordinator.recoverRunnerCommandsForRecreation(RUNNER)).toBe(1);
    expect(outcomeOf('sync')).toBe('accepted');
  });

  test('that is overruled loses the error of an earlier requeueing', async () => {
    const { coordinator, run } = await setup();
    run('sync', 'Sync');
    coordinator.recoverRunnerCommandsForRecreation(RUNNER);
    coordinator.markCommandRunning('sync');
    run('disable', 'DisableSync');
    expect(coordinator.readCommand('sync')?.errorMessage).not.toBeNull();
    coordinator.recoverRunnerCommandsForRecreation(RUNNER);
    expect(coordinator.readCommand('sync')).toMatchObject({
      status: 'superseded',
      errorCode: null,
      errorMessage: null,
    });
  });

  test('of another generation, or of no runner, is left to run', async () => {
    const { coordinator, run } = await setup();
    run('earlier', 'Sync', { expectedCoordinatorGeneration: 0 });
    coordinator.acceptCommand(envelope({ commandId: 'transfer', type: 'TransferOwnership' }));
    coordinator.markCommandRunning('transfer');
    expect(coordinator.recoverRunnerCommandsForRecreation(RUNNER)).toBe(0);
    expect(coordinator.readCommand('earlier')?.status).toBe('running');
    expect(coordinator.readCommand('transfer')?.status).toBe('running');
  });
});

describe('running commands are decided from the oldest on', () => {
  test.each(['runner', 'restart'])('by a %s', async (by) => {
    const { coordinator, run, outcomeOf } = await setup();
    run('enable-1', 'EnableSync');
    run('disable', 'DisableSync');
    run('enable-2', 'EnableSync', { args: { again: true } });
    if (by === 'runner') coordinator.recoverRunnerCommandsForRecreation(RUNNER);
    else coordinator.recoverAfterRestart({ neverStarted: 'keep' });
    // From the newest on, `disable` would be gone before it could overrule the first.
    expect(['enable-1', 'disable', 'enable-2'].map(outcomeOf)).toEqual(['disable', 'enable-2', 'accepted']);
  });
});
