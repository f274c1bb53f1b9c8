import { describe, expect, test } from 'vitest';
import { refusalOf, setupStores, switchTo, toFence } from './support/store-setup';

const KEY = { workspaceId: 'w', stream: 'main' } as const;
const COMMIT = { ...KEY, coordinatorGeneration: 1 } as const;

describe('the committed cursor', () => {
  test('is null before the first commit and then what was committed', async () => {
    const { cursors } = await setupStores();
    expect(cursors.readCommittedCursor(KEY)).toBeNull();
    cursors.commitCursor({ ...COMMIT, previous: null, next: { page: 1 } });
    expect(cursors.readCommittedCursor(KEY)).toEqual({ page: 1 });
    expect(cursors.readCommittedCursor({ ...KEY, stream: 'other' })).toBeNull();
  });

  test('moves only from where it stands, whatever the order of keys', async () => {
    const { cursors } = await setupStores();
    cursors.commitCursor({ ...COMMIT, previous: null, next: { a: 1, b: 2 } });
    cursors.commitCursor({ ...COMMIT, previous: { b: 2, a: 1 }, next: { a: 2 } });
    expect(
      refusalOf(() => cursors.commitCursor({ ...COMMIT, previous: { a: 1, b: 2 }, next: { a: 3 } })),
    ).toBe('CURSOR_CONFLICT');
    expect(cursors.readCommittedCursor(KEY)).toEqual({ a: 2 });
  });

  test('is fenced: the generation first, then the workspace, then the cursor', async () => {
    const { cursors } = await setupStores();
    const wrong = { ...COMMIT, previous: { no: 1 }, next: null };
    expect(
      refusalOf(() => cursors.commitCursor({ ...wrong, workspaceId: 'w-2', coordinatorGeneration: 0 })),
    ).toBe('STALE_GENERATION');
    expect(refusalOf(() => cursors.commitCursor({ ...wrong, workspaceId: 'w-2' }))).toBe(
      'INACTIVE_WORKSPACE',
    );
    expect(refusalOf(() => cursors.commitCursor(wrong))).toBe('CURSOR_CONFLICT');
  });

  test('goes back with the transaction it was committed in', async () => {
    const { cursors, database } = await setupStores();
    const failure = new Error('apply failed');
    const apply = (): void =>
      database.transaction(() => {
        cursors.commitCursor({ ...COMMIT, previous: null, next: 1 });
        throw failure;
      });
    expect(apply).toThrow(failure);
    expect(cursors.readCommittedCursor(KEY)).toBeNull();
  });
});

describe('obligations that the cursor has overtaken', () => {
  const SCOPE = { ...COMMIT, ownerMode: 'browser-gateway' } as const;

  test('are resolved, by stream, once the cursor has passed where they would fetch again', async () => {
    const { permits, cursors, inFlight, clock } = await setupStores();
    inFlight({ lastCommittedCursor: null });
    inFlight({ lastCommittedCursor: { page: 1 } });
    inFlight({ lastCommittedCursor: null, stream: 'other' });
    inFlight({ lastCommittedCursor: null, operationClass: 'repair' });
    clock.move(120_000);
    permits.recoverExpiredPermits({ workspaceId: 'w', currentServerInstanceId: 's-1' });
    cursors.commitCursor({ ...COMMIT, previous: null, next: { page: 1 } });
    expect(permits.settleOvertakenObligations(SCOPE)).toEqual({ resolved: 1 });
    const open = permits.listOpenRecoveryObligations('w');
    expect(
      open.map(({ operationClass, stream, lastCommittedCursor }) => [
        operationClass,
        stream,
        lastCommittedCursor,
      ]),
    ).toEqual([
      ['pull', 'main', { page: 1 }],
      ['pull', 'other', null],
      ['repair', 'main', null],
    ]);
    expect(permits.settleOvertakenObligations(SCOPE)).toEqual({ resolved: 0 });
  });

  test('keep as evidence the cursor that overtook them', async () => {
    const { permits, cursors, inFlight, clock, database } = await setupStores();
    inFlight();
    clock.move(120_000);
    permits.recoverExpiredPermits({ workspaceId: 'w', currentServerInstanceId: 's-1' });
    cursors.commitCursor({ ...COMMIT, previous: null, next: 7 });
    permits.settleOvertakenObligations(SCOPE);
    const row = database.prepare('SELECT resolved_boundary_json FROM local_sync_recovery_obligations').get();
    expect(row).toEqual({ resolved_boundary_json: '{"committedCursor":7,"kind":"overtaken","version":1}' });
  });

  test('are settled only in steady state under the owner', async () => {
    const setup = await setupStores();
    const { permits, coordinator } = setup;
    expect(refusalOf(() => permits.settleOvertakenObligations({ ...SCOPE, ownerMode: 'server' }))).toBe(
      'PERMITS_DISABLED',
    );
    expect(refusalOf(() => permits.settleOvertakenObligations({ ...SCOPE, workspaceId: 'w-2' }))).toBe(
      'INACTIVE_WORKSPACE',
    );
    switchTo(setup, { commandId: 'sw', from: 'w', to: 'w-2', generation: 1 });
    expect(refusalOf(() => permits.settleOvertakenObligations(SCOPE))).toBe('STALE_GENERATION');
    expect(coordinator.readOrCreateState().coordinatorGeneration).toBe(2);
  });
});

describe('the stream of a permit', () => {
  test('is main where none is named, and part of what an issue is', async () => {
    const { permits, issueInput } = await setupStores();
    const input = issueInput({ permitId: 'p' });
    expect(permits.issue(input).stream).toBe('main');
    expect(permits.issue({ ...input, stream: 'main' }).permitId).toBe('p');
    expect(refusalOf(() => permits.issue({ ...input, stream: 'other' }))).toBe('PERMIT_IDENTITY_CONFLICT');
  });

  test('passes on to its obligation', async () => {
    const { permits, answered } = await setupStores();
    permits.abandonPermit(toFence(answered({ stream: 'photos' }, 'accepted')));
    expect(permits.listOpenRecoveryObligations('w')).toMatchObject([{ stream: 'photos' }]);
  });
});
