/** What ends of permits make good of obligations, and what they do not. */
import { describe, expect, test } from 'vitest';
import type { IssueInput } from '../../src/domain/permit';
import { refusalOf, setupStores, toFence } from '../stores/support/store-setup';
import { toOwned } from './support';

const OWNED = { workspaceId: 'w', coordinatorGeneration: 1, ownerMode: 'browser-gateway' } as const;
const OBLIGATIONS = 'UPDATE local_sync_recovery_obligations SET';
const PERMITS = 'UPDATE local_sync_execution_permits SET';
const HANDSHAKE = { operationClass: 'handshake' } as const;
const PUSH = { operationClass: 'push', operationIdentity: 'op' } as const;
const DISPATCH = { operationClass: 'v3-dispatch', operationIdentity: 'op' } as const;
/** A push without an identity never goes out; one that asks to be fetched again is from elsewhere. */
const PUSH_REFETCH = `${OBLIGATIONS} operation_class = 'push'`;

async function setup() {
  const setup = await setupStores();
  const { permits, answered, database } = setup;
  const leave = (input: Partial<IssueInput>): void =>
    void permits.abandonPermit(toFence(answered(input, 'accepted')));
  const countOpen = (): number =>
    database.prepare('SELECT 1 FROM local_sync_recovery_obligations WHERE resolved_at IS NULL').all().length;
  const acknowledge = (input: Partial<IssueInput>): unknown =>
    permits.acknowledgeNonApplyingCompletion(toOwned(answered(input, 'accepted')));
  const repair = () =>
    permits.resolveAuthoritativeRepairRecoveryObligations({
      ...OWNED,
      repairId: 'r',
      stateSignatureSha256: 's',
    });
  return { ...setup, leave, countOpen, acknowledge, repair };
}

describe('an acknowledged handshake', () => {
  test('resolves what earlier ones left', async () => {
    const { leave, acknowledge, countOpen } = await setup();
    leave(HANDSHAKE);
    acknowledge(HANDSHAKE);
    expect(countOpen()).toBe(0);
  });

  test.each([
    ['of another workspace', `${OBLIGATIONS} workspace_id = 'w-2'`],
    ['of another class', `${OBLIGATIONS} operation_class = 'bootstrap'`],
    ['of a newer generation', `${PERMITS} coordinator_generation = 2`],
  ])('resolves nothing %s', async (_which, sql) => {
    const { leave, acknowledge, countOpen, database } = await setup();
    leave(HANDSHAKE);
    database.exec(sql);
    acknowledge(HANDSHAKE);
    expect(countOpen()).toBe(1);
  });

  test('leaves the evidence of what was resolved before', async () => {
    const { leave, acknowledge, database } = await setup();
    leave(HANDSHAKE);
    database.exec(`${OBLIGATIONS} resolved_at = 'x', resolved_boundary_json = '1'`);
    acknowledge(HANDSHAKE);
    const row = database.prepare(
      'SELECT resolved_at, resolved_boundary_json AS by FROM local_sync_recovery_obligations',
    );
    expect(row.get()).toEqual({ resolved_at: 'x', by: '1' });
  });

  test.each([
    ['the generation has passed', 'coordinator_generation = 2'],
    ['the workspace is left', `active_workspace_id = 'w-2'`],
    ['another owns', `ownership_mode = 'server'`],
    ['a transition is under way', `transition_state = 'switching-workspace'`],
  ])('is released and resolves nothing where %s', async (_why, assignment) => {
    const { leave, answered, permits, countOpen, database } = await setup();
    leave(HANDSHAKE);
    const permit = answered(HANDSHAKE, 'accepted');
    database.exec(`UPDATE local_sync_coordinator_state SET ${assignment}`);
    expect(permits.acknowledgeNonApplyingCompletion(toOwned(permit)).state).toBe('released');
    expect(countOpen()).toBe(1);
  });
});

test('an acknowledged push resolves nothing, whatever it is that is open', async () => {
  const { leave, acknowledge, countOpen, database } = await setup();
  leave(PUSH);
  acknowledge(PUSH);
  leave(HANDSHAKE);
  database.exec(`${PUSH_REFETCH} WHERE operation_class = 'handshake'`);
  acknowledge({ ...PUSH, operationIdentity: 'another' });
  expect(countOpen()).toBe(2);
});

describe('a mutation', () => {
  test.each(['release', 'abandonPermit'] as const)(
    'that was rejected settles its replays by %s',
    async (how) => {
      const { leave, answered, permits, database } = await setup();
      leave(PUSH);
      const permit = answered(PUSH, 'rejected');
      permits[how](toFence(permit));
      const row = database
        .prepare('SELECT resolved_boundary_json AS by FROM local_sync_recovery_obligations')
        .get();
      expect(JSON.parse(String(row?.['by']))).toEqual({
        version: 1,
        kind: 'rejected',
        operationIdentity: 'op',
        permitId: permit.permitId,
      });
    },
  );

  test('that was rejected settles none of another class or operation', async () => {
    const { leave, answered, permits, countOpen } = await setup();
    leave(DISPATCH);
    leave({ ...PUSH, operationIdentity: 'another' });
    permits.release(toFence(answered(PUSH, 'rejected')));
    expect(countOpen()).toBe(2);
  });

  test('that was accepted settles none by its release', async () => {
    const { leave, answered, permits, countOpen } = await setup();
    leave(PUSH);
    permits.release(toFence(answered(PUSH, 'accepted')));
    expect(countOpen()).toBe(1);
  });

  test('of unknown fate settles none, and leaves one of its own', async () => {
    const { leave, answered, permits, countOpen } = await setup();
    leave(PUSH);
    permits.abandonPermit(toFence(answered(PUSH, 'unknown')));
    expect(countOpen()).toBe(2);
  });
});

describe('a push group', () => {
  const boundary = { version: 1, projection: 'v2-push', batchOperationIdentities: ['op'] } as const;

  test.each([[[]], [['']], [[' p']]])('is none with the permit ids %j', async (permitIds) => {
    const { permits } = await setup();
    const group = { ...OWNED, permitIds, serverInstanceId: 's-1', pushBoundary: boundary };
    expect(refusalOf(() => permits.completeAcceptedPushEchoGroup(group, () => 1))).toBe(
      'PERMIT_IDENTITY_CONFLICT',
    );
    expect(refusalOf(() => permits.completeAcceptedPushWithoutEcho(group))).toBe('PERMIT_IDENTITY_CONFLICT');
  });
});

describe('a repair', () => {
  test('makes pulls, repairs and pushes good, and nothing else', async () => {
    const { leave, repair, permits, database } = await setup();
    leave({});
    leave({ operationClass: 'repair' });
    leave(HANDSHAKE);
    expect(permits.inspectAuthoritativeRepairRecoveryObligations('w')).toEqual({
      total: 2,
      requiresV2PushReplay: false,
    });
    leave(PUSH);
    expect(permits.inspectAuthoritativeRepairRecoveryObligations('w')).toEqual({
      total: 3,
      requiresV2PushReplay: true,
    });
    expect(permits.inspectAuthoritativeRepairRecoveryObligations('w-2')).toEqual({
      total: 0,
      requiresV2PushReplay: false,
    });
    database.exec(`${OBLIGATIONS} workspace_id = 'w-2' WHERE operation_class = 'repair'`);
    expect(repair()).toEqual({ resolved: 2, remaining: 1 });
  });

  test('leaves a push that asks to be fetched again', async () => {
    const { leave, repair, permits, database } = await setup();
    leave(HANDSHAKE);
    database.exec(PUSH_REFETCH);
    expect(permits.inspectAuthoritativeRepairRecoveryObligations('w').total).toBe(0);
    expect(repair()).toEqual({ resolved: 0, remaining: 1 });
  });

  test('leaves what comes from a newer generation', async () => {
    const { leave, repair, database } = await setup();
    leave({});
    database.exec(`${PERMITS} coordinator_generation = 2`);
    expect(repair()).toEqual({ resolved: 0, remaining: 1 });
  });

  test('waits for the open dispatches of its own workspace', async () => {
    const { leave, repair, database } = await setup();
    leave(DISPATCH);
    expect(refusalOf(repair)).toBe('PERMIT_STATE_CONFLICT');
    database.exec(`${OBLIGATIONS} workspace_id = 'w-2'`);
    expect(repair()).toEqual({ resolved: 0, remaining: 0 });
  });

  test('waits for active permits of its own workspace', async () => {
    const { repair, permits, issueInput, database } = await setup();
    permits.issue(issueInput());
    expect(refusalOf(repair)).toBe('PERMIT_STATE_CONFLICT');
    database.exec(`${PERMITS} workspace_id = 'w-2'`);
    expect(repair()).toEqual({ resolved: 0, remaining: 0 });
  });
});

test('dispatches are resolved each once', async () => {
  const { leave, permits } = await setup();
  leave(DISPATCH);
  const [open] = permits.listOpenRecoveryObligations('w');
  const resolution = { obligationId: open?.obligationId ?? '', operationIdentity: 'op', resolvedBoundary: 1 };
  for (const resolutions of [[], [resolution, resolution]]) {
    const resolve = () => permits.resolveV3DispatchRecoveryObligations({ ...OWNED, resolutions });
    expect(refusalOf(resolve)).toBe('PERMIT_IDENTITY_CONFLICT');
  }
});

describe('a local commit that was cut short', () => {
  test('cannot be settled as not committed where its answer is not known', async () => {
    const { permits, inLocalCommit, database } = await setup();
    const { permitId } = inLocalCommit();
    database.exec(`${PERMITS} upstream_disposition = NULL`);
    const settle = () =>
      permits.settleInterruptedLocalCommit({
        workspaceId: 'w',
        permitId,
        outcome: 'not-committed',
        evidence: 1,
      });
    expect(refusalOf(settle)).toBe('PERMIT_STATE_CONFLICT');
    expect(permits.read(permitId)?.state).toBe('local-commit-entered');
  });
});

test('a recovery of no workspace in particular is one of all', async () => {
  const { permits, inFlight } = await setup();
  inFlight();
  const input = { currentServerInstanceId: 's-2', workspaceId: null };
  expect(permits.recoverPriorServerPermits(input)).toMatchObject({ reconcileRequired: 1 });
});

test('a recovery of one workspace settles what earlier writers left there, and nothing else', async () => {
  const { permits, inFlight, issueInput, database } = await setup();
  const [left, elsewhere] = [inFlight(), inFlight()];
  database.exec(`${PERMITS} workspace_id = 'w-2' WHERE permit_id = '${elsewhere.permitId}'`);
  const own = permits.issue(issueInput({ serverInstanceId: 's-2' }));
  const input = { currentServerInstanceId: 's-2', workspaceId: 'w' };
  expect(permits.recoverPriorServerPermits(input)).toEqual({
    clean: 0,
    reconcileRequired: 1,
    localCommitPending: 0,
  });
  expect(permits.read(left.permitId)?.state).toBe('abandoned-reconcile-required');
  expect(permits.read(elsewhere.permitId)?.state).toBe('gateway-in-flight');
  expect(permits.read(own.permitId)).toEqual(own);
});
