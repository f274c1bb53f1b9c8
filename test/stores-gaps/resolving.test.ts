/** Resolving what is open by what a group in local commit has fetched. */
import { describe, expect, test } from 'vitest';
import type { CompletionGroup } from '../../src/domain/completion-group';
import type { Json } from '../../src/domain/json';
import type { IssueInput } from '../../src/domain/permit';
import { REQUESTED_BY, envelope, refusalOf, setupStores, toFence } from '../stores/support/store-setup';

const OWNED = { workspaceId: 'w', coordinatorGeneration: 1, ownerMode: 'browser-gateway' } as const;
const OBLIGATIONS = 'UPDATE local_sync_recovery_obligations SET';
const NEXT = { page: 2 };

/** Two open refetches, and a group of pulls in local commit that has fetched them. */
async function setup() {
  const setup = await setupStores();
  const { permits, answered, database, coordinator } = setup;
  const leave = (input: Partial<IssueInput> = {}): string => {
    permits.abandonPermit(toFence(answered(input, 'accepted')));
    return permits.listOpenRecoveryObligations('w').at(-1)?.obligationId ?? '';
  };
  const obligationIds = [leave(), leave()];
  const enter = (inputs: readonly Partial<IssueInput>[]): CompletionGroup => {
    const members = inputs.map((input) => answered(input, 'accepted'));
    const group = {
      ...OWNED,
      permitIds: members.map(({ permitId }) => permitId),
      serverInstanceId: 's-1',
      previousBoundary: null,
      expectedBoundary: NEXT,
    };
    permits.enterLocalCommitGroup(group);
    return group;
  };
  const group = enter([{}]);
  const list = (other: Partial<CompletionGroup> = {}) =>
    permits.listResolvableRecoveryObligations({ ...group, ...other }).map(({ obligationId }) => obligationId);
  const calls: unknown[] = [];
  const resolve = (
    { ids = obligationIds, ...other }: Partial<CompletionGroup> & { ids?: readonly string[] } = {},
    committed: unknown = NEXT,
  ): string =>
    refusalOf(() =>
      permits.resolveRecoveryObligations(
        { completionGroup: { ...group, ...other }, obligationIds: ids },
        (boundaries) => {
          calls.push(boundaries);
          return committed as Json; // what a caller without types returns
        },
      ),
    );
  const countOpen = (): number => permits.listOpenRecoveryObligations('w').length;
  /** From here on the browser's gateway is being drained. */
  const drain = (): void => {
    coordinator.acceptCommand(
      envelope({ commandId: 't', type: 'TransferOwnership', args: { targetMode: 'server' } }),
    );
    coordinator.beginOwnershipTransfer({
      commandId: 't',
      expectedGeneration: 1,
      workspaceId: 'w',
      targetMode: 'server',
      version: 1,
      requestedBy: REQUESTED_BY,
    });
  };
  return { ...setup, database, group, enter, leave, obligationIds, list, resolve, calls, countOpen, drain };
}

describe('what a group can resolve', () => {
  test('is what is open of its class, from its cursor, up to its generation', async () => {
    const { list, obligationIds, leave } = await setup();
    leave({ operationClass: 'repair' });
    leave({ lastCommittedCursor: { page: 9 } });
    leave({ operationClass: 'push', operationIdentity: 'op' });
    expect(list()).toEqual(obligationIds);
  });

  test.each([
    ['of another workspace', `workspace_id = 'w-2'`],
    ['that is resolved', `resolved_at = 'x'`],
    ['of another class', `operation_class = 'repair'`],
    ['from another cursor', `last_committed_cursor_json = '1'`],
  ])('is nothing %s', async (_which, assignment) => {
    const { list, database, obligationIds } = await setup();
    const [first, second] = obligationIds;
    database.exec(`${OBLIGATIONS} ${assignment} WHERE obligation_id = '${first}'`);
    expect(list()).toEqual([second]);
  });

  test('is nothing of a newer generation', async () => {
    const { list, database, obligationIds } = await setup();
    const [first, second] = obligationIds;
    database.exec(`UPDATE local_sync_execution_permits SET coordinator_generation = 2 WHERE permit_id =
      (SELECT permit_id FROM local_sync_recovery_obligations WHERE obligation_id = '${first}')`);
    expect(list()).toEqual([second]);
  });

  test('is nothing where its members are of two classes', async () => {
    const { enter, permits } = await setup();
    const mixed = enter([{}, { operationClass: 'repair' }]);
    expect(permits.listResolvableRecoveryObligations(mixed)).toEqual([]);
  });

  test('is asked in steady state only', async () => {
    const { list, drain } = await setup();
    drain();
    expect(refusalOf(list)).toBe('PERMITS_DISABLED');
  });
});

describe('resolving', () => {
  test('hands the callback both boundaries, and resolves by the one that it returns', async () => {
    const { resolve, calls, countOpen, database, clock } = await setup();
    expect(resolve()).toBe('none');
    expect(calls).toEqual([{ previousBoundary: null, expectedBoundary: NEXT }]);
    expect(countOpen()).toBe(0);
    const rows = database
      .prepare('SELECT resolved_at, resolved_boundary_json FROM local_sync_recovery_obligations')
      .all();
    const resolved = { resolved_at: clock.read(), resolved_boundary_json: '{"page":2}' };
    expect(rows).toEqual([resolved, resolved]);
  });

  test('asks the callback where one of them is open still, and nothing where none is', async () => {
    const { resolve, calls, obligationIds } = await setup();
    expect(resolve({ ids: obligationIds.slice(0, 1) })).toBe('none');
    expect(resolve()).toBe('none');
    expect(calls).toHaveLength(2);
    expect(resolve({}, 'anything')).toBe('none');
    expect(calls).toHaveLength(2);
  });

  test.each([
    ['another boundary', { page: 3 }, 'PERMIT_STATE_CONFLICT'],
    ['nothing', undefined, 'PERMIT_STATE_CONFLICT'],
    ['a promise', Promise.resolve(NEXT), 'ASYNC_TRANSACTION'],
  ])('is undone where the callback returns %s', async (_what, committed, code) => {
    const { permits, group, obligationIds, countOpen } = await setup();
    const resolve = () =>
      permits.resolveRecoveryObligations({ completionGroup: group, obligationIds }, () => committed as Json); // without types
    expect(refusalOf(resolve)).toBe(code);
    expect(countOpen()).toBe(2);
  });

  test('looks at the shape, then at the ids of permits, then of obligations, then at the fence', async () => {
    const { resolve, drain, group } = await setup();
    drain();
    const [permitId = ''] = group.permitIds;
    const repeated = { permitIds: [permitId, permitId] };
    expect(resolve({ ...repeated, previousBoundary: undefined as never })).toBe('COMPLETION_GROUP_INVALID');
    expect(resolve(repeated)).toBe('PERMIT_IDENTITY_CONFLICT');
    expect(resolve({ ids: [] })).toBe('PERMIT_IDENTITY_CONFLICT');
    expect(resolve()).toBe('PERMITS_DISABLED');
  });

  test('finds each obligation, in its workspace', async () => {
    const { resolve, database, countOpen } = await setup();
    expect(resolve({ ids: ['none'] })).toBe('PERMIT_NOT_FOUND');
    database.exec(`${OBLIGATIONS} workspace_id = 'w-2'`);
    expect(resolve()).toBe('INACTIVE_WORKSPACE');
    expect(countOpen()).toBe(0);
  });

  test('of a replay, or of another class, is refused', async () => {
    const { resolve, leave } = await setup();
    const push = leave({ operationClass: 'push', operationIdentity: 'op' });
    expect(resolve({ ids: [push] })).toBe('PERMIT_STATE_CONFLICT');
    const repair = leave({ operationClass: 'repair' });
    expect(resolve({ ids: [repair] })).toBe('PERMIT_IDENTITY_CONFLICT');
  });
});

describe('refetches that were overtaken', () => {
  test.each([
    ['of another workspace', `workspace_id = 'w-2'`],
    ['of another stream', `stream = 'other'`],
    ['of a repair', `operation_class = 'repair'`],
    ['from the committed cursor', `last_committed_cursor_json = '7'`],
    ['of a newer generation', ''],
  ])('are none %s', async (_which, assignment) => {
    const { permits, database, cursors } = await setup();
    cursors.commitCursor({
      workspaceId: 'w',
      stream: 'main',
      coordinatorGeneration: 1,
      previous: null,
      next: 7,
    });
    database.exec(
      assignment === ''
        ? 'UPDATE local_sync_execution_permits SET coordinator_generation = 2'
        : `${OBLIGATIONS} ${assignment}`,
    );
    expect(permits.settleOvertakenObligations({ ...OWNED, stream: 'main' })).toEqual({ resolved: 0 });
  });

  test('are resolved by the cursor that overtook them', async () => {
    const { permits, database, cursors } = await setup();
    cursors.commitCursor({
      workspaceId: 'w',
      stream: 'main',
      coordinatorGeneration: 1,
      previous: null,
      next: 7,
    });
    expect(permits.settleOvertakenObligations({ ...OWNED, stream: 'main' })).toEqual({ resolved: 2 });
    const row = database
      .prepare('SELECT resolved_boundary_json AS by FROM local_sync_recovery_obligations')
      .get();
    expect(row).toEqual({ by: '{"committedCursor":7,"kind":"overtaken","version":1}' });
    expect(permits.settleOvertakenObligations({ ...OWNED, stream: 'main' })).toEqual({ resolved: 0 });
  });
});
