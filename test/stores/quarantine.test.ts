import { describe, expect, test } from 'vitest';
import { envelope, refusalOf, setupStores, toFence, type StoreSetup } from './support/store-setup';

/** Writes what no CHECK would let in, as a damaged file or another program might. */
function damage({ database }: StoreSetup, sql: string): void {
  database.exec('PRAGMA ignore_check_constraints = ON');
  expect(database.prepare(sql).run().changes).toBeGreaterThan(0);
  database.exec('PRAGMA ignore_check_constraints = OFF');
}

const PERMIT = 'UPDATE local_sync_execution_permits SET';
const COMMAND = 'UPDATE local_sync_coordinator_commands SET';

describe('a row that cannot be read', () => {
  test('is moved to quarantine by whatever meets it, as it was, with the reason', async () => {
    const setup = await setupStores();
    const { permits, coordinator, inFlight } = setup;
    const { permitId } = inFlight();
    damage(setup, `${PERMIT} last_committed_cursor_json = '{"page":' WHERE permit_id = '${permitId}'`);
    expect(permits.read(permitId)).toBeNull();
    const [found, ...others] = coordinator.listQuarantined(10);
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      sourceTable: 'local_sync_execution_permits',
      reason: 'last_committed_cursor_json is not JSON',
      foundAt: '2026-03-01T00:00:00.000Z',
    });
    expect(JSON.parse(found?.rowJson ?? '')).toMatchObject({
      permit_id: permitId,
      last_committed_cursor_json: '{"page":',
      state: 'gateway-in-flight',
    });
  });

  test('is moved even where the call that met it is refused', async () => {
    const setup = await setupStores();
    const { permits, coordinator, inFlight } = setup;
    const permit = inFlight();
    damage(setup, `${PERMIT} operation_class = 'teleport' WHERE permit_id = '${permit.permitId}'`);
    expect(refusalOf(() => permits.release(toFence(permit)))).toBe('PERMIT_NOT_FOUND');
    expect(coordinator.listQuarantined(10)).toHaveLength(1);
  });

  test('does not stand in the way of issuing under its id again', async () => {
    const setup = await setupStores();
    const { permits, issueInput } = setup;
    const input = issueInput({ permitId: 'p' });
    permits.issue(input);
    damage(setup, `${PERMIT} state = 'lost' WHERE permit_id = 'p'`);
    expect(permits.issue(input).state).toBe('issued-idle');
  });

  test('does not stop the recovery of the permits beside it', async () => {
    const setup = await setupStores();
    const { permits, coordinator, inFlight } = setup;
    const [bad, good] = [inFlight(), inFlight()];
    damage(setup, `${PERMIT} upstream_disposition = 'perhaps' WHERE permit_id = '${bad.permitId}'`);
    expect(permits.recoverPriorServerPermits({ currentServerInstanceId: 's-2' })).toMatchObject({
      reconcileRequired: 1,
    });
    expect(permits.listOpenRecoveryObligations('w').map((obligation) => obligation.permitId)).toEqual([
      good.permitId,
    ]);
    expect(coordinator.listQuarantined(10)).toHaveLength(1);
  });

  test('does not stop the listing of the obligations beside it', async () => {
    const setup = await setupStores();
    const { permits, answered } = setup;
    permits.abandonPermit(toFence(answered({}, 'accepted')));
    permits.abandonPermit(toFence(answered({}, 'unknown')));
    damage(
      setup,
      `UPDATE local_sync_recovery_obligations SET required_action = 'hope' WHERE upstream_disposition = 'accepted'`,
    );
    expect(permits.listOpenRecoveryObligations('w')).toMatchObject([{ upstreamDisposition: 'unknown' }]);
    expect(permits.summarize('w').recoveryObligations).toBe(1);
  });

  test('leaves an obligation that came from it resolvable', async () => {
    const setup = await setupStores();
    const { permits, inFlight, answered, clock } = setup;
    const { permitId } = inFlight({ operationClass: 'handshake' });
    clock.move(120_000);
    permits.recoverExpiredPermits({ workspaceId: 'w', currentServerInstanceId: 's-1' });
    damage(setup, `${PERMIT} state = 'lost' WHERE permit_id = '${permitId}'`);
    expect(permits.read(permitId)).toBeNull();
    const next = answered({ operationClass: 'handshake' }, 'accepted');
    permits.acknowledgeNonApplyingCompletion({ ...toFence(next), ownerMode: 'browser-gateway' });
    expect(permits.listOpenRecoveryObligations('w')).toEqual([]);
  });

  test('is passed over by a claim, which takes the next one', async () => {
    const setup = await setupStores('server');
    const { coordinator } = setup;
    coordinator.acceptCommand(envelope({ commandId: 'a', args: 1 }));
    coordinator.acceptCommand(envelope({ commandId: 'b', args: 2 }));
    damage(setup, `${COMMAND} args_json = '{' WHERE command_id = 'a'`);
    expect(
      coordinator.claimNextRunnerCommand({
        workspaceId: 'w',
        coordinatorGeneration: 1,
        cloudCapabilityAvailable: true,
      })?.commandId,
    ).toBe('b');
  });

  test('is counted by the recovery after a restart, which settles everything else', async () => {
    const setup = await setupStores();
    const { coordinator } = setup;
    coordinator.acceptCommand(envelope({ commandId: 'a', args: 1 }));
    coordinator.acceptCommand(envelope({ commandId: 'b', args: 2 }));
    damage(setup, `${COMMAND} status = 'dreaming' WHERE command_id = 'a'`);
    expect(coordinator.recoverAfterRestart()).toMatchObject({
      interruptedCommandCount: 1,
      quarantinedCount: 1,
    });
    expect(coordinator.readCommand('b')?.status).toBe('failed');
  });
});

describe('a coordinator row that cannot be read', () => {
  const STATE = 'UPDATE local_sync_coordinator_state SET';

  test('is STATE_CORRUPT to every call that needs it', async () => {
    const setup = await setupStores();
    const { coordinator, permits, issueInput } = setup;
    damage(setup, `${STATE} desired_ownership_mode = 'nobody', ownership_mode = 'nobody'`);
    expect(refusalOf(() => coordinator.readOrCreateState())).toBe('STATE_CORRUPT');
    expect(refusalOf(() => permits.issue(issueInput()))).toBe('STATE_CORRUPT');
  });

  test('is written anew by recovery: stopped, above every generation, its workspace kept', async () => {
    const setup = await setupStores();
    const { coordinator } = setup;
    coordinator.acceptCommand(envelope({ commandId: 'c', expectedCoordinatorGeneration: 5 }));
    damage(setup, `${STATE} desired_ownership_mode = 'nobody', local_data_version = 9`);
    const { state, quarantinedCount } = coordinator.recoverAfterRestart();
    expect(quarantinedCount).toBe(1);
    expect(state).toMatchObject({
      activeWorkspaceId: 'w',
      coordinatorGeneration: 6,
      localDataVersion: 9,
      ownershipMode: 'stopped',
      desiredOwnershipMode: 'browser-gateway',
      transitionState: 'idle',
    });
    expect(coordinator.readOrCreateState()).toEqual(state);
    expect(coordinator.listQuarantined(1)).toMatchObject([{ sourceTable: 'local_sync_coordinator_state' }]);
  });

  test('is written anew even where its counters are beyond reading', async () => {
    const setup = await setupStores();
    damage(
      setup,
      `${STATE} local_data_version = 9007199254740993, coordinator_generation = 9007199254740993`,
    );
    const { state } = setup.coordinator.recoverAfterRestart();
    expect(state).toMatchObject({ activeWorkspaceId: 'w', localDataVersion: 0, ownershipMode: 'stopped' });
    expect(setup.coordinator.readOrCreateState()).toEqual(state);
  });

  test('that only tells badly what happened is read as if it told nothing', async () => {
    const setup = await setupStores();
    damage(
      setup,
      `${STATE} terminal_switch_result_json = '{', terminal_transfer_result_json = '{"status":"succeeded"}',
        requested_by_json = '{"userId":"u"}'`,
    );
    expect(setup.coordinator.readOrCreateState()).toMatchObject({
      terminalSwitchResult: null,
      terminalTransferResult: null,
      requestedBy: null,
    });
  });
});
