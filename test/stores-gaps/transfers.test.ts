import { describe, expect, test } from 'vitest';
import type { OwnerMode, TransferPhase } from '../../src/domain/coordinator-vocabulary';
import { REQUESTED_BY, envelope, refusalOf, setupStores } from '../stores/support/store-setup';

const STATE = 'local_sync_coordinator_state';
const PHASES: Readonly<Record<OwnerMode, readonly TransferPhase[]>> = {
  server: ['preparing', 'draining', 'generation-advanced', 'starting-target', 'committing'],
  'browser-gateway': ['preparing', 'draining', 'generation-advanced', 'stopping-source', 'committing'],
};

async function setup() {
  const stores = await setupStores();
  const { coordinator } = stores;
  /** Brings a transfer as far as a phase, under a generation of its own. */
  const transferTo = (commandId: string, targetMode: OwnerMode, until: TransferPhase): void => {
    const expectedGeneration = coordinator.readOrCreateState().coordinatorGeneration;
    coordinator.acceptCommand(
      envelope({
        commandId,
        type: 'TransferOwnership',
        args: { targetMode },
        expectedCoordinatorGeneration: expectedGeneration,
      }),
    );
    coordinator.beginOwnershipTransfer({
      commandId,
      expectedGeneration,
      workspaceId: 'w',
      targetMode,
      version: 1,
      requestedBy: REQUESTED_BY,
    });
    const phases = PHASES[targetMode];
    for (const [index, nextPhase] of phases.slice(1, phases.indexOf(until) + 1).entries()) {
      const expectedPhase = phases[index] ?? 'preparing';
      if (nextPhase === 'generation-advanced') {
        coordinator.advanceOwnershipTransferGeneration({
          commandId,
          expectedSourceGeneration: expectedGeneration,
        });
      } else {
        coordinator.advanceOwnershipTransfer({ commandId, expectedPhase, nextPhase });
      }
    }
  };
  const fail = (commandId: string, fallbackMode: 'browser-gateway' | 'server' | 'stopped') =>
    coordinator.failOwnershipTransfer({ commandId, fallbackMode, errorCode: 'X', errorMessage: 'x' });
  return { ...stores, transferTo, fail };
}

describe('a transfer', () => {
  test('does not begin while a transition is under way, whoever owns', async () => {
    const { coordinator, transferTo } = await setup();
    coordinator.setLifecycleMode('browser-gateway', 'switching-workspace');
    expect(refusalOf(() => transferTo('t', 'server', 'preparing'))).toBe('STALE_GENERATION');
  });

  test('advances from the phase it is in, not from one that the caller imagines', async () => {
    const { coordinator, transferTo } = await setup();
    transferTo('t', 'server', 'preparing');
    const advance = () =>
      coordinator.advanceOwnershipTransfer({
        commandId: 't',
        expectedPhase: 'committing',
        nextPhase: 'draining',
      });
    expect(refusalOf(advance)).toBe('STALE_GENERATION');
    expect(coordinator.readOrCreateState().transferPhase).toBe('preparing');
  });

  test('raises the generation only while it drains, and only with a workspace', async () => {
    const { coordinator, transferTo, database } = await setup();
    const raise = () =>
      coordinator.advanceOwnershipTransferGeneration({ commandId: 't', expectedSourceGeneration: 1 });
    transferTo('t', 'server', 'preparing');
    expect(refusalOf(raise)).toBe('STALE_GENERATION');
    coordinator.advanceOwnershipTransfer({
      commandId: 't',
      expectedPhase: 'preparing',
      nextPhase: 'draining',
    });
    database.exec(`UPDATE ${STATE} SET active_workspace_id = NULL`);
    expect(refusalOf(raise)).toBe('STALE_GENERATION');
  });

  test('waits for the permits of its own workspace and generation only', async () => {
    const { coordinator, permits, transferTo, issueInput, database } = await setup();
    for (const permitId of ['elsewhere', 'earlier']) permits.issue(issueInput({ permitId }));
    database.exec(`UPDATE local_sync_execution_permits SET workspace_id = 'w-2' WHERE permit_id = 'elsewhere';
      UPDATE local_sync_execution_permits SET coordinator_generation = 0 WHERE permit_id = 'earlier'`);
    transferTo('t', 'server', 'generation-advanced');
    expect(coordinator.readOrCreateState().coordinatorGeneration).toBe(2);
  });

  test('completes to its own target only', async () => {
    const { coordinator, transferTo } = await setup();
    transferTo('t', 'server', 'committing');
    const complete = () =>
      coordinator.completeOwnershipTransfer({ commandId: 't', targetMode: 'browser-gateway' });
    expect(refusalOf(complete)).toBe('STALE_GENERATION');
    expect(coordinator.readOrCreateState().transferPhase).toBe('committing');
  });

  test.each(['accepted', 'gone'])('is not completed where its command is %s', async (how) => {
    const { coordinator, transferTo, database } = await setup();
    transferTo('t', 'server', 'committing');
    const change =
      how === 'gone'
        ? `DELETE FROM local_sync_coordinator_commands WHERE command_id = 't'`
        : `UPDATE local_sync_coordinator_commands SET status = 'accepted' WHERE command_id = 't'`;
    database.exec(change);
    const complete = () => coordinator.completeOwnershipTransfer({ commandId: 't', targetMode: 'server' });
    expect(refusalOf(complete)).toBe('COMMAND_INVALID');
    expect(coordinator.readOrCreateState().transferPhase).toBe('committing');
  });
});

describe('a transfer that fails', () => {
  test.each(['failed', 'gone'])('is refused where its command is %s', async (how) => {
    const { coordinator, transferTo, fail, database } = await setup();
    transferTo('t', 'server', 'draining');
    const change =
      how === 'gone'
        ? `DELETE FROM local_sync_coordinator_commands WHERE command_id = 't'`
        : `UPDATE local_sync_coordinator_commands SET status = 'failed', completed_at = 'x' WHERE command_id = 't'`;
    database.exec(change);
    expect(refusalOf(() => fail('t', 'browser-gateway'))).toBe('COMMAND_INVALID');
    expect(coordinator.readOrCreateState().transferPhase).toBe('draining');
  });

  test.each(['transfer_phase', 'transfer_target_mode'])('is stale where its row lost %s', async (column) => {
    const { transferTo, fail, database } = await setup();
    transferTo('t', 'server', 'draining');
    database.exec(`PRAGMA ignore_check_constraints = ON; UPDATE ${STATE} SET ${column} = NULL`);
    expect(refusalOf(() => fail('t', 'browser-gateway'))).toBe('STALE_GENERATION');
  });

  test('wants the browser again where it falls back to it, and what was wanted before elsewhere', async () => {
    const { coordinator, transferTo, fail } = await setup();
    transferTo('there', 'server', 'committing');
    coordinator.completeOwnershipTransfer({ commandId: 'there', targetMode: 'server' });
    transferTo('back', 'browser-gateway', 'draining');
    expect(fail('back', 'stopped')).toMatchObject({
      ownershipMode: 'stopped',
      desiredOwnershipMode: 'server',
    });
    coordinator.setLifecycleMode('server', 'idle');
    transferTo('again', 'browser-gateway', 'generation-advanced');
    expect(fail('again', 'browser-gateway')).toMatchObject({
      ownershipMode: 'browser-gateway',
      desiredOwnershipMode: 'browser-gateway',
    });
  });

  test('before it raised the generation leaves older commands alone', async () => {
    const { coordinator, transferTo, fail } = await setup();
    coordinator.acceptCommand(envelope({ commandId: 'old', expectedCoordinatorGeneration: 0 }));
    const switching = { type: 'SwitchWorkspace', expectedCoordinatorGeneration: 0 } as const;
    coordinator.acceptCommand(envelope({ commandId: 'older', ...switching }));
    transferTo('t', 'server', 'draining');
    fail('t', 'browser-gateway');
    expect(coordinator.readCommand('old')).toMatchObject({
      status: 'accepted',
      expectedCoordinatorGeneration: 0,
    });
    expect(coordinator.readCommand('older')?.status).toBe('accepted');
  });

  test('past draining asks for no drain, whoever it falls back to', async () => {
    const { permits, issueInput, transferTo, fail, database } = await setup();
    permits.issue(issueInput());
    database.exec('UPDATE local_sync_execution_permits SET coordinator_generation = 2');
    transferTo('t', 'server', 'generation-advanced');
    expect(fail('t', 'stopped')).toMatchObject({ ownershipMode: 'stopped', coordinatorGeneration: 3 });
  });

  test('leaves its record on its command too', async () => {
    const { coordinator, transferTo, fail } = await setup();
    transferTo('t', 'server', 'draining');
    const { terminalTransferResult } = fail('t', 'browser-gateway');
    expect(terminalTransferResult).toMatchObject({
      commandId: 't',
      status: 'failed',
      errorPhase: 'draining',
    });
    expect(coordinator.readCommand('t')?.result).toEqual({ terminalTransfer: terminalTransferResult });
  });
});
