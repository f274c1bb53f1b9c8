/**
 * Somebody else changes a row between a call's look at it and its write. One connection cannot do that to itself; an
 * engine with several could, and every write is guarded on what was read.
 */
import { describe, expect, test } from 'vitest';
import type { Fence } from '../../src/domain/permit';
import { envelope, refusalOf, toFence } from '../stores/support/store-setup';
import { setupWithIntruder } from './support';

const COMMANDS = 'local_sync_coordinator_commands';
const PERMITS = 'local_sync_execution_permits';
const OBLIGATIONS = 'local_sync_recovery_obligations';
const RUNNER = { workspaceId: 'w', coordinatorGeneration: 1, ownerMode: 'browser-gateway' } as const;
const END_COMMAND = `UPDATE ${COMMANDS} SET status = 'failed', completed_at = 'x', claim_token = NULL`;
const END_PERMIT = `UPDATE ${PERMITS} SET state = 'released', completed_at = 'x'`;

async function setup() {
  const setup = await setupWithIntruder();
  const issue = (): Fence =>
    toFence(
      setup.permits.issue({
        workspaceId: 'w',
        coordinatorGeneration: 1,
        serverInstanceId: 's',
        operationClass: 'pull',
        deadlineAt: setup.clock.in(60_000),
      }),
    );
  return { ...setup, issue };
}

describe('a command', () => {
  test('that was ended meanwhile is not claimed', async () => {
    const { coordinator, intruder } = await setup();
    coordinator.acceptCommand(envelope({ commandId: 'a' }));
    intruder.arm(COMMANDS, END_COMMAND);
    const claim = () => coordinator.claimNextRunnerCommand({ ...RUNNER, cloudCapabilityAvailable: true });
    expect(refusalOf(claim)).toBe('COMMAND_INVALID');
  });

  test('that was ended meanwhile takes no sign of life and no report', async () => {
    const { coordinator, intruder } = await setup();
    coordinator.acceptCommand(envelope({ commandId: 'a' }));
    coordinator.claimNextRunnerCommand({ ...RUNNER, cloudCapabilityAvailable: true });
    intruder.arm(COMMANDS, END_COMMAND);
    expect(coordinator.heartbeatCommand({ commandId: 'a' })).toMatchObject({ heartbeatAt: null });
    coordinator.acceptCommand(envelope({ commandId: 'b' }));
    coordinator.claimNextRunnerCommand({ ...RUNNER, cloudCapabilityAvailable: true });
    intruder.arm(COMMANDS, END_COMMAND);
    const report = coordinator.recordCommandProgress({ commandId: 'b', progress: 1 });
    expect(report).toEqual({ commandId: 'b', progress: null, heartbeatAt: null });
  });

  test('that began to run meanwhile is not taken along by a recovery', async () => {
    const { coordinator, intruder, database } = await setup();
    coordinator.acceptCommand(envelope({ commandId: 'a' }));
    const begin = `UPDATE ${COMMANDS} SET status = 'running', started_at = 'x', updated_at = 'theirs'`;
    intruder.arm(COMMANDS, `${begin} WHERE completed_at IS NULL`);
    database.exec(`UPDATE local_sync_coordinator_state SET coordinator_generation = 2`);
    coordinator.recoverAfterRestart({ neverStarted: 'keep' });
    expect(coordinator.readCommand('a')).toMatchObject({
      status: 'running',
      expectedCoordinatorGeneration: 1,
      updatedAt: 'theirs',
    });
  });
});

describe('a command that came meanwhile', () => {
  test('is not taken along by a recovery that keeps another', async () => {
    const { coordinator, intruder, database } = await setup();
    coordinator.acceptCommand(envelope({ commandId: 'a' }));
    const columns = (database.prepare(`SELECT * FROM ${COMMANDS} LIMIT 1`).get() ?? {}) as object;
    const rest = Object.keys(columns).filter((column) => column !== 'arrival' && column !== 'command_id');
    const copy = `INSERT INTO ${COMMANDS} (command_id, ${rest.join(', ')})
      SELECT 'late', ${rest.join(', ')} FROM ${COMMANDS} WHERE command_id = 'a'`;
    database.exec(`UPDATE local_sync_coordinator_state SET coordinator_generation = 2`);
    intruder.arm(COMMANDS, copy);
    coordinator.recoverAfterRestart({ neverStarted: 'keep' });
    expect(coordinator.readCommand('a')?.expectedCoordinatorGeneration).toBe(2);
    expect(coordinator.readCommand('late')?.expectedCoordinatorGeneration).toBe(1);
  });
});

describe('a row that cannot be read', () => {
  test('and that was moved meanwhile is not kept twice', async () => {
    const { coordinator, intruder, database } = await setup();
    coordinator.acceptCommand(envelope({ commandId: 'a' }));
    database.exec(`UPDATE ${COMMANDS} SET args_json = '{' WHERE command_id = 'a'`);
    intruder.arm(COMMANDS, `DELETE FROM ${COMMANDS} WHERE command_id = 'a'`);
    expect(coordinator.readCommand('a')).toBeNull();
    expect(coordinator.listQuarantined(9)).toEqual([]);
  });
});

describe('a coordinator whose row is gone meanwhile', () => {
  test('is an error, and no state', async () => {
    const { coordinator, intruder } = await setup();
    intruder.arm('local_sync_coordinator_state', 'DELETE FROM local_sync_coordinator_state');
    expect(() => coordinator.setLifecycleMode('server', 'idle')).toThrow('the coordinator row is gone');
  });
});

describe('a permit', () => {
  test('that was ended meanwhile is not moved', async () => {
    const { permits, intruder, issue } = await setup();
    const fence = issue();
    intruder.arm(PERMITS, END_PERMIT);
    expect(refusalOf(() => permits.release(fence))).toBe('PERMIT_STATE_CONFLICT');
  });

  test('that was ended meanwhile keeps its deadline', async () => {
    const { permits, intruder, issue, clock } = await setup();
    const fence = issue();
    const deadlineAt = permits.read(fence.permitId)?.deadlineAt;
    intruder.arm(PERMITS, END_PERMIT);
    permits.renew({ ...fence, deadlineAt: clock.in(120_000) });
    expect(permits.read(fence.permitId)?.deadlineAt).toBe(deadlineAt);
  });
});

describe('an obligation', () => {
  test('that was resolved meanwhile keeps its evidence, which is what is told', async () => {
    const { permits, intruder, issue, clock } = await setup();
    const dispatch = { operationClass: 'v3-dispatch', operationIdentity: 'op' } as const;
    const fence = toFence(
      permits.issue({ ...issue(), ...dispatch, permitId: 'p', deadlineAt: clock.in(60_000) }),
    );
    permits.transition({ ...fence, expectedState: 'issued-idle', nextState: 'gateway-in-flight' });
    clock.move(60_000);
    permits.recoverExpiredPermits({ workspaceId: 'w', currentServerInstanceId: 's' });
    const [open] = permits.listOpenRecoveryObligations('w');
    const resolution = {
      obligationId: open?.obligationId ?? '',
      operationIdentity: 'op',
      resolvedBoundary: 'mine',
    };
    const resolve = `UPDATE ${OBLIGATIONS} SET resolved_at = 'x', resolved_boundary_json = '"theirs"'`;
    intruder.arm(OBLIGATIONS, resolve);
    const resolved = permits.resolveV3DispatchRecoveryObligations({ ...RUNNER, resolutions: [resolution] });
    expect(resolved).toMatchObject([{ resolvedAt: 'x', resolvedBoundary: 'theirs' }]);
  });
});
