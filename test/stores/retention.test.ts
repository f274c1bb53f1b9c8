import { describe, expect, test } from 'vitest';
import { envelope, setupStores, toFence, type StoreSetup } from './support/store-setup';

function countOf({ database }: StoreSetup, table: string): number {
  return Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n']);
}

/** Finished Sync commands, one a second. */
function finishCommands({ coordinator, clock }: StoreSetup, count: number, prefix: string): void {
  for (let i = 0; i < count; i++) {
    const commandId = `${prefix}-${String(i).padStart(4, '0')}`;
    coordinator.acceptCommand(envelope({ commandId }));
    coordinator.finishCommand({ commandId, status: 'succeeded' });
    clock.move(1_000);
  }
}

describe('retention of commands', () => {
  test('keeps what a kept command names, through any number of commands', async () => {
    const setup = await setupStores();
    const { coordinator, clock } = setup;
    const finish = (commandId: string, names: string | null): void => {
      coordinator.acceptCommand(envelope({ commandId }));
      coordinator.finishCommand({
        commandId,
        status: 'succeeded',
        result: names === null ? null : { leaderCommandId: names },
      });
      clock.move(1_000);
    };
    finish('first', null);
    finish('second', 'first');
    finish('forgotten', null);
    finish('circle-1', 'circle-2');
    finish('circle-2', 'circle-1');
    finishCommands(setup, 1_000, 'filler');
    coordinator.acceptCommand(envelope({ commandId: 'young' }));
    clock.moveDays(8);
    coordinator.finishCommand({
      commandId: 'young',
      status: 'succeeded',
      result: { leaderCommandId: 'second' },
    });
    coordinator.pruneTerminalCommands();
    expect(coordinator.readCommand('first')).not.toBeNull();
    expect(coordinator.readCommand('second')).not.toBeNull();
    expect(coordinator.readCommand('forgotten')).toBeNull();
    expect(coordinator.readCommand('circle-1')).toBeNull();
    expect(coordinator.readCommand('circle-2')).toBeNull();
  });

  test('follows an accept, and never joins its transaction', async () => {
    const setup = await setupStores();
    const { coordinator, clock, database } = setup;
    finishCommands(setup, 1_010, 'old');
    clock.moveDays(8);
    const before = countOf(setup, 'local_sync_coordinator_commands');
    database.transaction(() => coordinator.acceptCommand(envelope({ commandId: 'inside' })));
    expect(countOf(setup, 'local_sync_coordinator_commands')).toBe(before + 1);
    coordinator.acceptCommand(envelope({ commandId: 'alone', type: 'Repair' }));
    expect(countOf(setup, 'local_sync_coordinator_commands')).toBeLessThan(before);
  });

  test('takes the references of a command with it', async () => {
    const setup = await setupStores();
    const { coordinator, clock } = setup;
    coordinator.acceptCommand(envelope({ commandId: 'leader' }));
    coordinator.acceptCommand(envelope({ commandId: 'led' }));
    coordinator.finishCommand({ commandId: 'leader', status: 'succeeded' });
    expect(countOf(setup, 'local_sync_command_references')).toBe(1);
    clock.move(1_000);
    finishCommands(setup, 1_000, 'filler');
    clock.moveDays(8);
    coordinator.pruneTerminalCommands();
    expect(coordinator.readCommand('led')).toBeNull();
    expect(countOf(setup, 'local_sync_command_references')).toBe(0);
  });
});

describe('retention of permits and obligations', () => {
  test('keeps a permit as long as an obligation names it, and lets both go together', async () => {
    const setup = await setupStores();
    const { permits, answered, issueInput, clock } = setup;
    const obliged = answered({ operationClass: 'handshake' }, 'accepted');
    permits.abandonPermit(toFence(obliged));
    for (let i = 0; i < 1_000; i++) {
      clock.move(1);
      permits.release(toFence(permits.issue(issueInput())));
    }
    clock.moveDays(8);
    expect(permits.pruneTerminalHistory()).toEqual({ permits: 0, obligations: 0 });

    // A thousand newer obligations, so that the first one is old enough to go once it is resolved.
    const next = answered({ operationClass: 'handshake' }, 'accepted');
    permits.acknowledgeNonApplyingCompletion({ ...toFence(next), ownerMode: 'browser-gateway' });
    expect(permits.listOpenRecoveryObligations('w')).toEqual([]);
    for (let i = 0; i < 1_000; i++) {
      clock.move(1);
      permits.abandonPermit(toFence(answered({ operationClass: 'handshake' }, 'accepted')));
      const settling = answered({ operationClass: 'handshake' }, 'accepted');
      permits.acknowledgeNonApplyingCompletion({ ...toFence(settling), ownerMode: 'browser-gateway' });
    }
    clock.moveDays(8);
    expect(permits.pruneTerminalHistory(5_000)).toMatchObject({ obligations: 1 });
    expect(permits.read(obliged.permitId)).toBeNull();
  });

  test('runs by the way once an hour, before an issue that no batch holds', async () => {
    const setup = await setupStores();
    const { permits, issueInput, clock, database } = setup;
    for (let i = 0; i < 1_010; i++) permits.release(toFence(permits.issue(issueInput())));
    clock.moveDays(8);
    database.transaction(() => permits.issue(issueInput()));
    expect(countOf(setup, 'local_sync_execution_permits')).toBe(1_011);
    permits.issue(issueInput());
    expect(countOf(setup, 'local_sync_execution_permits')).toBe(1_002);
  });
});
