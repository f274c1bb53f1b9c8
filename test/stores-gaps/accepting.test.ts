/** What a command's caller may require, check by check. */
import { describe, expect, test } from 'vitest';
import type { AcceptCommandOptions, CommandEnvelope } from '../../src/domain/command';
import { findCoalescingClass } from '../../src/domain/command-intent';
import { collectCommandReferences } from '../../src/domain/command-references';
import type { BeginOwnershipTransferInput } from '../../src/domain/coordinator-state';
import { REQUESTED_BY, envelope, refusalOf, setupStores } from '../stores/support/store-setup';

const STATE = 'UPDATE local_sync_coordinator_state SET';

async function setup() {
  const setup = await setupStores();
  const accept = (fields: Partial<CommandEnvelope>, options: AcceptCommandOptions): string =>
    refusalOf(() => setup.coordinator.acceptCommand(envelope({ commandId: 'c', ...fields }), options));
  return { ...setup, accept };
}

describe('a command that requires the active workspace', () => {
  const options = { requireActiveWorkspace: true } as const;

  test('names it', async () => {
    const { accept, database } = await setup();
    expect(accept({ workspaceId: 'w-2' }, options)).toBe('INACTIVE_WORKSPACE');
    expect(accept({ workspaceId: null }, options)).toBe('INACTIVE_WORKSPACE');
    expect(accept({}, options)).toBe('none');
    database.exec(`${STATE} active_workspace_id = NULL`);
    expect(accept({ commandId: 'd', workspaceId: null }, options)).toBe('INACTIVE_WORKSPACE');
  });

  test('comes in at the present generation, with nothing in transition and an owner', async () => {
    const { accept, coordinator } = await setup();
    expect(accept({ expectedCoordinatorGeneration: 0 }, options)).toBe('STALE_GENERATION');
    coordinator.setLifecycleMode('browser-gateway', 'switching-workspace');
    expect(accept({}, options)).toBe('STALE_GENERATION');
    coordinator.setLifecycleMode('stopped', 'idle');
    expect(accept({}, options)).toBe('STALE_GENERATION');
  });
});

test('a command that requires nothing comes in whatever the coordinator is', async () => {
  const { accept, database } = await setup();
  database.exec(`PRAGMA ignore_check_constraints = ON; ${STATE} ownership_mode = 'nobody'`);
  expect(accept({}, {})).toBe('none');
});

describe('a switch that requires its source', () => {
  const options = { requireWorkspaceSwitchSource: true, expectedActiveWorkspaceId: 'w' } as const;

  test('names it, and it is the active one', async () => {
    const { accept } = await setup();
    expect(accept({ workspaceId: 'w-2' }, options)).toBe('INACTIVE_WORKSPACE');
    const other = { ...options, expectedActiveWorkspaceId: 'w-2' };
    expect(accept({ workspaceId: 'w-2' }, other)).toBe('INACTIVE_WORKSPACE');
    expect(accept({}, options)).toBe('none');
  });

  test('expects no workspace where it says none', async () => {
    const { accept, database } = await setup();
    const none = { requireWorkspaceSwitchSource: true } as const;
    expect(accept({ workspaceId: null }, none)).toBe('INACTIVE_WORKSPACE');
    database.exec(`${STATE} active_workspace_id = NULL`);
    expect(accept({ workspaceId: null }, none)).toBe('none');
  });
});

test('a runner takes nothing while the row says a transition, whoever it says owns', async () => {
  const { coordinator } = await setup();
  coordinator.setLifecycleMode('server', 'switching-workspace');
  const claim = () =>
    coordinator.claimNextRunnerCommand({
      workspaceId: 'w',
      coordinatorGeneration: 1,
      cloudCapabilityAvailable: true,
    });
  expect(refusalOf(claim)).toBe('COMMAND_INVALID');
});

describe('a transfer begins by the command that asked for it', () => {
  const begin = async (
    command: Partial<CommandEnvelope>,
    input: Partial<BeginOwnershipTransferInput> = {},
    isRunning = false,
  ): Promise<string> => {
    const { coordinator } = await setup();
    const asked = { type: 'TransferOwnership', args: { targetMode: 'server' } } as const;
    coordinator.acceptCommand(envelope({ commandId: 't', ...asked, ...command }));
    if (isRunning) coordinator.markCommandRunning('t');
    return refusalOf(() =>
      coordinator.beginOwnershipTransfer({
        commandId: 't',
        expectedGeneration: 1,
        workspaceId: 'w',
        targetMode: 'server',
        version: 1,
        requestedBy: REQUESTED_BY,
        ...input,
      }),
    );
  };

  test('and that alone', async () => {
    expect(await begin({})).toBe('none');
    expect(await begin({}, { commandId: 'another' })).toBe('COMMAND_INVALID');
  });

  test('while it waits', async () => {
    expect(await begin({}, {}, true)).toBe('COMMAND_INVALID');
  });

  test.each<Partial<CommandEnvelope>>([
    { type: 'Sync' },
    { version: 2 },
    { workspaceId: 'w-2' },
    { workspaceId: null },
    { expectedCoordinatorGeneration: 0 },
    { requestedBy: { userId: 'u-2', tenantId: 't-1' } },
    { requestedBy: { userId: 'u-1', tenantId: 't-2' } },
    { args: { targetMode: 'browser-gateway' } },
    { args: {} },
    { args: [] },
    { args: null },
    { args: 5 },
    { args: 'server' },
  ])('not by one that differs in %j', async (command) => {
    expect(await begin(command)).toBe('COMMAND_INVALID');
  });
});

test('only runner commands have a class that they coalesce in', () => {
  expect(findCoalescingClass('Retry')).toEqual(['Sync', 'Retry']);
  expect(findCoalescingClass('Repair')).toEqual(['Repair']);
  expect(findCoalescingClass('SwitchWorkspace')).toBeUndefined();
});

test('the commands that a result names are found under three keys, at any depth, each once', () => {
  const result = {
    commandId: 'a',
    list: [{ leaderCommandId: 'b' }, [{ supersedingCommandId: 'c' }]],
    deep: {
      commandId: { commandId: 'd' },
      leaderCommandId: ['e', { commandId: 'a' }],
      supersedingCommandId: 5,
    },
    otherId: 'f',
  };
  expect(collectCommandReferences(result).toSorted()).toEqual(['a', 'b', 'c', 'd']);
  expect(collectCommandReferences(null)).toEqual([]);
  expect(collectCommandReferences('commandId')).toEqual([]);
});
