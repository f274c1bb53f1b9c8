/** Callers without types: values outside the closed sets get the code of the check they fail, and change nothing. */
import { describe, expect, test } from 'vitest';
import type { OwnerMode } from '../../src/domain/coordinator-vocabulary';
import type { PermitState } from '../../src/domain/permit-vocabulary';
import { REQUESTED_BY, envelope, refusalOf, setupStores, toFence } from './support/store-setup';

async function setup() {
  const setup = await setupStores();
  const acceptTransfer = (targetMode: OwnerMode, commandId = 'cmd-1'): string =>
    setup.coordinator.acceptCommand(envelope({ commandId, type: 'TransferOwnership', args: { targetMode } }))
      .record.commandId;
  const begin = (commandId: string, targetMode: OwnerMode, requestedBy: unknown = REQUESTED_BY) =>
    setup.coordinator.beginOwnershipTransfer({
      commandId,
      expectedGeneration: 1,
      workspaceId: 'w',
      targetMode,
      version: 1,
      requestedBy: requestedBy as typeof REQUESTED_BY, // a caller without types
    });
  return { ...setup, acceptTransfer, begin };
}

const ODD_TARGETS = [
  'stopped',
  'transitioning-to-server',
  '',
  'toString',
  '__proto__',
  undefined,
  null,
] as unknown as OwnerMode[];

describe('a transfer', () => {
  test.each(['browser-gateway', ...ODD_TARGETS])(
    'under way refuses another to %j as stale',
    async (targetMode) => {
      const { acceptTransfer, begin } = await setup();
      begin(acceptTransfer('server'), 'server');
      const other = acceptTransfer('server', 'cmd-2');
      expect(refusalOf(() => begin(other, targetMode as OwnerMode))).toBe('STALE_GENERATION');
    },
  );

  test.each(ODD_TARGETS)(
    'to %j, which its command did not ask for, is refused as invalid',
    async (targetMode) => {
      const { coordinator, acceptTransfer, begin } = await setup();
      const commandId = acceptTransfer('server');
      expect(refusalOf(() => begin(commandId, targetMode))).toBe('COMMAND_INVALID');
      expect(coordinator.readOrCreateState().transitionState).toBe('idle');
    },
  );

  test.each(['stopped', 'toString', '__proto__'] as unknown as OwnerMode[])(
    'to %j is refused even where its command asked for it',
    async (targetMode) => {
      const { acceptTransfer, begin } = await setup();
      const commandId = acceptTransfer(targetMode);
      expect(refusalOf(() => begin(commandId, targetMode))).toBe('COMMAND_INVALID');
    },
  );

  test('to the present owner, or while nobody owns, is stale', async () => {
    const { coordinator, acceptTransfer, begin } = await setup();
    const commandId = acceptTransfer('browser-gateway');
    expect(refusalOf(() => begin(commandId, 'browser-gateway'))).toBe('STALE_GENERATION');
    coordinator.setLifecycleMode('stopped', 'idle');
    expect(refusalOf(() => begin(commandId, 'server'))).toBe('STALE_GENERATION');
    expect(refusalOf(() => begin(commandId, 'stopped' as OwnerMode))).toBe('STALE_GENERATION');
  });

  test.each([null, {}])('by the requester %j is not the one its command named', async (requestedBy) => {
    const { acceptTransfer, begin } = await setup();
    const commandId = acceptTransfer('server');
    expect(refusalOf(() => begin(commandId, 'server', requestedBy))).toBe('COMMAND_INVALID');
  });
});

describe('a transition from a state that is none', () => {
  test.each(['asleep', '', 'toString', '__proto__', undefined, null] as unknown as PermitState[])(
    '%j: the fence first, then a state conflict',
    async (expectedState) => {
      const { permits, issueInput } = await setup();
      const fence = toFence(permits.issue(issueInput()));
      const input = { expectedState, nextState: 'gateway-in-flight' } as const;
      expect(refusalOf(() => permits.transition({ ...fence, ...input }))).toBe('PERMIT_STATE_CONFLICT');
      expect(refusalOf(() => permits.transition({ ...fence, ...input, coordinatorGeneration: 99 }))).toBe(
        'STALE_GENERATION',
      );
      expect(refusalOf(() => permits.transition({ ...fence, ...input, permitId: 'none' }))).toBe(
        'PERMIT_NOT_FOUND',
      );
    },
  );
});

describe('the state that a writing method returns', () => {
  test('is the state as it is read: an incomplete requester and an empty target are null', async () => {
    const { coordinator } = await setup();
    const requestedBy = { userId: 'u' } as never; // a caller without types
    const returned = coordinator.beginWorkspaceSwitch({
      commandId: 'cmd-switch',
      expectedGeneration: 1,
      expectedActiveWorkspaceId: 'w',
      targetWorkspaceId: '',
      requestedBy,
    });
    expect(returned).toMatchObject({ requestedBy: null, targetWorkspaceId: null });
    expect(coordinator.readOrCreateState()).toEqual(returned);
  });

  test('a later write leaves what is stored behind a null as it was', async () => {
    const { coordinator, database } = await setup();
    coordinator.beginWorkspaceSwitch({
      commandId: 'cmd-switch',
      expectedGeneration: 1,
      expectedActiveWorkspaceId: 'w',
      targetWorkspaceId: 'w-2',
      requestedBy: { userId: 'u' } as never, // likewise
    });
    coordinator.setLifecycleMode('transitioning-workspace', 'switching-workspace');
    const row = database.prepare('SELECT requested_by_json FROM local_sync_coordinator_state').get();
    expect(row).toEqual({ requested_by_json: '{"userId":"u"}' });
  });
});

describe('a command', () => {
  test('keeps its requester as it came, and answers a repeat with the same record', async () => {
    const { coordinator } = await setup();
    const odd = envelope({ commandId: 'odd', requestedBy: { userId: 'u' } as never }); // likewise
    const { record } = coordinator.acceptCommand(odd);
    expect(record.requestedBy).toEqual({ userId: 'u' });
    expect(coordinator.acceptCommand(odd)).toEqual({ record, replayed: true });
    expect(coordinator.readCommand('odd')).toEqual(record);
  });

  test('that expects a generation before the first is kept as it came where nothing is required', async () => {
    const { coordinator } = await setup();
    const { record } = coordinator.acceptCommand(
      envelope({ commandId: 'early', expectedCoordinatorGeneration: -1 }),
    );
    expect(record).toMatchObject({ status: 'accepted', expectedCoordinatorGeneration: -1 });
  });
});

describe('a cursor that cannot be read', () => {
  test('is quarantined and reads as none, so that the stream is fetched anew', async () => {
    const { cursors, database } = await setup();
    const key = { workspaceId: 'w', stream: 'main' };
    cursors.commitCursor({ ...key, coordinatorGeneration: 1, previous: null, next: { seq: 1 } });
    database.exec(
      "PRAGMA ignore_check_constraints = ON; UPDATE local_workspace_sync_cursors SET cursor_json = '{broken'",
    );
    expect(cursors.readCommittedCursor(key)).toBeNull();
    const kept = database.prepare('SELECT source_table, row_json FROM local_sync_quarantine').all();
    expect(kept).toHaveLength(1);
    expect(kept[0]).toMatchObject({
      source_table: 'local_workspace_sync_cursors',
      row_json: expect.stringContaining('{broken'),
    });
    cursors.commitCursor({ ...key, coordinatorGeneration: 1, previous: null, next: { seq: 2 } });
    expect(cursors.readCommittedCursor(key)).toEqual({ seq: 2 });
  });
});
