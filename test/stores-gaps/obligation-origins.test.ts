/**
 * An obligation and the permit it came from say the same. Where a hand in the database made them differ, both count;
 * where the permit is gone or unreadable, the obligation speaks for itself.
 */
import { describe, expect, test } from 'vitest';
import type { CompletionGroup } from '../../src/domain/completion-group';
import { refusalOf, setupStores, toFence } from '../stores/support/store-setup';

const OWNED = { workspaceId: 'w', coordinatorGeneration: 1, ownerMode: 'browser-gateway' } as const;
const PERMITS = 'local_sync_execution_permits';
const CURSOR = { page: 1 };
const BATCH = { version: 1, projection: 'v2-push', batchOperationIdentities: ['op'] } as const;

/** How each kind of obligation is left by permit `origin`, and settled afterwards. */
async function setup(kind: 'refetch' | 'dispatch' | 'push') {
  const setup = await setupStores();
  const { permits, answered, database } = setup;
  const work = {
    refetch: { operationClass: 'pull', lastCommittedCursor: CURSOR },
    dispatch: { operationClass: 'v3-dispatch', operationIdentity: 'op' },
    push: { operationClass: 'push', operationIdentity: 'op', lastCommittedCursor: BATCH },
  }[kind] as Parameters<typeof answered>[0];
  permits.abandonPermit(toFence(answered({ ...work, permitId: 'origin' }, 'accepted')));
  const [open] = permits.listOpenRecoveryObligations('w');
  const obligationId = open?.obligationId ?? '';
  const settle = {
    refetch: () => {
      const { permitId } = answered(work, 'accepted');
      const group: CompletionGroup = {
        ...OWNED,
        permitIds: [permitId],
        serverInstanceId: 's-1',
        previousBoundary: CURSOR,
        expectedBoundary: { page: 2 },
      };
      permits.enterLocalCommitGroup(group);
      permits.resolveRecoveryObligations({ completionGroup: group, obligationIds: [obligationId] }, () => ({
        page: 2,
      }));
    },
    dispatch: () => {
      const resolutions = [{ obligationId, operationIdentity: 'op', resolvedBoundary: 'b' }];
      const { coordinatorGeneration } = setup.coordinator.readOrCreateState();
      permits.resolveV3DispatchRecoveryObligations({ ...OWNED, coordinatorGeneration, resolutions });
    },
    push: () => {
      const { permitId } = answered(work, 'accepted');
      permits.completeAcceptedPushWithoutEcho({
        ...OWNED,
        permitIds: [permitId],
        serverInstanceId: 's-1',
        pushBoundary: BATCH,
      });
    },
  }[kind];
  const isSettled = (): boolean =>
    database.prepare('SELECT resolved_at FROM local_sync_recovery_obligations').get()?.['resolved_at'] ===
    setup.clock.read();
  return { ...setup, settle, isSettled };
}

const GONE = `DELETE FROM ${PERMITS} WHERE permit_id = 'origin'`;
const UNREADABLE = `UPDATE ${PERMITS} SET last_committed_cursor_json = '{' WHERE permit_id = 'origin'`;

describe.each(['refetch', 'dispatch', 'push'] as const)('the obligation of a %s', (kind) => {
  test('is settled', async () => {
    const { settle, isSettled } = await setup(kind);
    expect(isSettled()).toBe(false);
    settle();
    expect(isSettled()).toBe(true);
  });

  test.each([
    ['gone', GONE],
    ['unreadable', UNREADABLE],
  ])('is settled where its permit is %s', async (_how, sql) => {
    const { settle, isSettled, database, coordinator } = await setup(kind);
    database.exec(sql);
    settle();
    expect(isSettled()).toBe(true);
    expect(coordinator.listQuarantined(10)).toEqual([]);
  });
});

describe('an obligation is not settled', () => {
  test.each(['refetch', 'dispatch'] as const)('by a %s older than its permit', async (kind) => {
    const { settle, isSettled, database } = await setup(kind);
    database.exec(`UPDATE ${PERMITS} SET coordinator_generation = 2 WHERE permit_id = 'origin'`);
    expect(refusalOf(settle)).toBe('STALE_GENERATION');
    expect(isSettled()).toBe(false);
  });

  test.each(['refetch', 'dispatch'] as const)('by a %s where it cannot be read itself', async (kind) => {
    const { settle, database, coordinator } = await setup(kind);
    database.exec(`UPDATE local_sync_recovery_obligations SET last_committed_cursor_json = '{'`);
    expect(refusalOf(settle)).toBe('PERMIT_NOT_FOUND');
    expect(coordinator.listQuarantined(10)).toMatchObject([
      { sourceTable: 'local_sync_recovery_obligations' },
    ]);
  });

  test('by a push older than its permit, which is completed all the same', async () => {
    const { settle, isSettled, database } = await setup('push');
    database.exec(`UPDATE ${PERMITS} SET coordinator_generation = 2 WHERE permit_id = 'origin'`);
    settle();
    expect(isSettled()).toBe(false);
  });

  test('by a refetch from another cursor than its permit had', async () => {
    const { settle, isSettled, database } = await setup('refetch');
    database.exec(`UPDATE ${PERMITS} SET last_committed_cursor_json = NULL WHERE permit_id = 'origin'`);
    expect(refusalOf(settle)).toBe('PERMIT_STATE_CONFLICT');
    expect(isSettled()).toBe(false);
  });

  test('by a push of another operation than its permit had', async () => {
    const { settle, isSettled, database } = await setup('push');
    database.exec(`UPDATE ${PERMITS} SET operation_identity = 'another' WHERE permit_id = 'origin'`);
    settle();
    expect(isSettled()).toBe(false);
  });
});

test('without its permit it is of the oldest generation there is', async () => {
  const { settle, isSettled, database } = await setup('dispatch');
  database.exec(`${GONE}; UPDATE local_sync_coordinator_state SET coordinator_generation = 0`);
  settle();
  expect(isSettled()).toBe(true);
});
