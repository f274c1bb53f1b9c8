import { describe, expect, test } from 'vitest';
import { envelope, refusalOf, setupStores } from './support/store-setup';

const RUNNER = { workspaceId: 'w', coordinatorGeneration: 1 } as const;
const CLAIM = { ...RUNNER, cloudCapabilityAvailable: true, withToken: true } as const;

async function setupClaim() {
  const { coordinator } = await setupStores('server');
  coordinator.acceptCommand(envelope({ commandId: 'c' }));
  const claimToken = coordinator.claimNextRunnerCommand(CLAIM)?.claimToken;
  if (claimToken === undefined) throw new Error('no token');
  return { coordinator, claimToken, finish: { commandId: 'c', status: 'succeeded' } as const };
}

describe('a claim that asked for a token', () => {
  test('is finished with it alone', async () => {
    const { coordinator, claimToken, finish } = await setupClaim();
    expect(refusalOf(() => coordinator.finishCommand(finish))).toBe('COMMAND_INVALID');
    expect(refusalOf(() => coordinator.finishCommand({ ...finish, claimToken: 'guess' }))).toBe(
      'COMMAND_INVALID',
    );
    expect(coordinator.finishCommand({ ...finish, claimToken })?.status).toBe('succeeded');
  });

  test('is ended only once: repeating it gives the record, with the token or without', async () => {
    const { coordinator, claimToken, finish } = await setupClaim();
    const record = coordinator.finishCommand({ ...finish, claimToken });
    expect(coordinator.finishCommand({ ...finish, claimToken })).toEqual(record);
    expect(coordinator.finishCommand({ ...finish, status: 'failed' })).toEqual(record);
  });

  test('reports and gives signs of life with it alone', async () => {
    const { coordinator, claimToken } = await setupClaim();
    expect(refusalOf(() => coordinator.heartbeatCommand({ commandId: 'c' }))).toBe('COMMAND_INVALID');
    expect(refusalOf(() => coordinator.recordCommandProgress({ commandId: 'c', progress: 1 }))).toBe(
      'COMMAND_INVALID',
    );
    expect(coordinator.recordCommandProgress({ commandId: 'c', progress: { done: 3 }, claimToken })).toEqual({
      commandId: 'c',
      progress: { done: 3 },
      heartbeatAt: '2026-03-01T00:00:00.000Z',
    });
    expect(coordinator.heartbeatCommand({ commandId: 'c', claimToken })).toEqual(
      coordinator.readCommandProgress('c'),
    );
  });

  test('loses it when the command waits again, so that a runner that was given up cannot end the next run', async () => {
    const { coordinator, claimToken, finish } = await setupClaim();
    expect(coordinator.recoverRunnerCommandsForRecreation(RUNNER)).toBe(1);
    expect(refusalOf(() => coordinator.finishCommand({ ...finish, claimToken }))).toBe('COMMAND_INVALID');
    const next = coordinator.claimCommandForExecution({ ...RUNNER, commandId: 'c', withToken: true });
    expect(next.record?.claimToken).not.toBe(claimToken);
    expect(refusalOf(() => coordinator.finishCommand({ ...finish, claimToken }))).toBe('COMMAND_INVALID');
  });

  test('does not show the token to anybody else', async () => {
    const { coordinator } = await setupClaim();
    expect(coordinator.readCommand('c')).not.toHaveProperty('claimToken');
    expect(coordinator.claimCommandForExecution({ ...RUNNER, commandId: 'c' }).record).not.toHaveProperty(
      'claimToken',
    );
  });
});

describe('a claim without a token', () => {
  test('is finished without, and a token is refused', async () => {
    const { coordinator } = await setupStores('server');
    coordinator.acceptCommand(envelope({ commandId: 'c' }));
    coordinator.claimNextRunnerCommand({ ...RUNNER, cloudCapabilityAvailable: true });
    const finish = { commandId: 'c', status: 'failed', errorCode: 'X' } as const;
    expect(refusalOf(() => coordinator.finishCommand({ ...finish, claimToken: 'a' }))).toBe(
      'COMMAND_INVALID',
    );
    expect(coordinator.finishCommand(finish)).toMatchObject({ status: 'failed', errorCode: 'X' });
  });

  test('takes no report once it has ended, and none where nothing runs', async () => {
    const { coordinator } = await setupStores('server');
    coordinator.acceptCommand(envelope({ commandId: 'c' }));
    expect(coordinator.recordCommandProgress({ commandId: 'c', progress: 1 })?.progress).toBeNull();
    expect(coordinator.heartbeatCommand({ commandId: 'nobody' })).toBeNull();
  });
});
