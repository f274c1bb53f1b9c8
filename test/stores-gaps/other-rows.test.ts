/** Calls read and write the rows they name. The rows beside them are as they were. */
import { describe, expect, test } from 'vitest';
import { STORE_CODES } from '../../src/domain/error-codes';
import { readCoordinatorView } from '../../worker/stores/coordinator-view';
import { envelope, refusalOf, setupStores, switchTo, toFence } from '../stores/support/store-setup';
import { openTestDatabase } from '../stores/support/store-setup';
import { openStores } from '../../worker/stores';

const STATE = 'local_sync_coordinator_state';

/** A second coordinator in the table, which only a hand in the database can have put there. */
const OTHER_COORDINATOR = `PRAGMA ignore_check_constraints = ON;
  INSERT INTO ${STATE} (coordinator_id, active_workspace_id, coordinator_generation, ownership_mode,
    desired_ownership_mode, transition_state, updated_at)
  VALUES ('another', 'w', 1, 'browser-gateway', 'browser-gateway', 'idle', 'x');
  PRAGMA ignore_check_constraints = OFF;`;

describe('a coordinator beside ours', () => {
  test('is neither read nor written', async () => {
    const setup = await setupStores();
    const { coordinator, database, permits, issueInput } = setup;
    database.exec(OTHER_COORDINATOR);
    const readOther = (): unknown =>
      database.prepare(`SELECT * FROM ${STATE} WHERE coordinator_id = 'another'`).get();
    const before = readOther();
    coordinator.advanceLocalDataVersion({ workspaceId: 'w', expectedCoordinatorGeneration: 1 });
    switchTo(setup, { commandId: 'sw', from: 'w', to: 'w-2', generation: 1 });
    expect(readOther()).toEqual(before);
    expect(coordinator.readOrCreateState()).toMatchObject({ activeWorkspaceId: 'w-2' });
    expect(refusalOf(() => permits.issue(issueInput()))).toBe('STALE_GENERATION');
  });

  test('does not stand for ours where there is none yet', async () => {
    const database = await openTestDatabase();
    database.exec(OTHER_COORDINATOR);
    const { coordinator, permits } = openStores({
      database,
      clock: () => '2026-03-01T00:00:00.000Z',
      newId: () => 'id',
    });
    const issue = () =>
      permits.issue({
        workspaceId: 'w',
        coordinatorGeneration: 1,
        serverInstanceId: 's',
        operationClass: 'pull',
        deadlineAt: '2026-03-01T00:01:00.000Z',
      });
    expect(refusalOf(issue)).toBe('STALE_GENERATION');
    expect(coordinator.readOrCreateState()).toMatchObject({
      activeWorkspaceId: null,
      coordinatorGeneration: 0,
    });
    expect(readCoordinatorView(database)).toBeDefined();
  });
});

describe('before the coordinator has a row', () => {
  const ISSUE = {
    serverInstanceId: 's',
    operationClass: 'pull',
    deadlineAt: '2026-03-01T00:01:00.000Z',
    workspaceId: 'w',
  } as const;

  test('the generation is the first and no workspace is active', async () => {
    const database = await openTestDatabase();
    const clock = (): string => '2026-03-01T00:00:00.000Z';
    const { permits, cursors, coordinator } = openStores({ database, clock, newId: () => 'id' });
    expect(refusalOf(() => permits.issue({ ...ISSUE, coordinatorGeneration: 1 }))).toBe('STALE_GENERATION');
    expect(refusalOf(() => permits.issue({ ...ISSUE, coordinatorGeneration: 0 }))).toBe('INACTIVE_WORKSPACE');
    const commit = { workspaceId: 'w', stream: 'main', previous: null, next: 1 };
    expect(refusalOf(() => cursors.commitCursor({ ...commit, coordinatorGeneration: 0 }))).toBe(
      'INACTIVE_WORKSPACE',
    );
    const advance = (expectedCoordinatorGeneration: number) => () =>
      coordinator.advanceLocalDataVersion({ workspaceId: 'w', expectedCoordinatorGeneration });
    expect(refusalOf(advance(1))).toBe('STALE_GENERATION');
    expect(refusalOf(advance(0))).toBe('INACTIVE_WORKSPACE');
  });
});

describe('an active workspace without a name', () => {
  test('is none', async () => {
    const { permits, database, issueInput, coordinator } = await setupStores();
    database.exec(`UPDATE ${STATE} SET active_workspace_id = ''`);
    expect(refusalOf(() => permits.issue(issueInput({ workspaceId: '' })))).toBe('INACTIVE_WORKSPACE');
    expect(coordinator.readOrCreateState().activeWorkspaceId).toBeNull();
  });
});

describe('a state that cannot be read', () => {
  test('is told by its code to permits too', async () => {
    const { permits, database, issueInput } = await setupStores();
    database.exec(`PRAGMA ignore_check_constraints = ON; UPDATE ${STATE} SET ownership_mode = 'nobody'`);
    expect(() => permits.issue(issueInput())).toThrow(
      expect.objectContaining({ code: STORE_CODES.STATE_CORRUPT }),
    );
  });
});

describe('one of two permits', () => {
  test('is renewed, and the other is not', async () => {
    const { permits, issueInput, clock } = await setupStores();
    const [one, other] = [permits.issue(issueInput()), permits.issue(issueInput())];
    permits.renew({ ...toFence(one), deadlineAt: clock.in(120_000) });
    expect(permits.read(one.permitId)?.deadlineAt).toBe(clock.in(120_000));
    expect(permits.read(other.permitId)).toEqual(other);
  });
});

describe('one of two waiting commands', () => {
  test('takes the new generation by a recovery that keeps it, each for itself', async () => {
    const { coordinator, database } = await setupStores();
    coordinator.acceptCommand(envelope({ commandId: 'a', requestedAt: '2026-03-01T00:00:00.001Z' }));
    coordinator.acceptCommand(envelope({ commandId: 'b', workspaceId: 'elsewhere' }));
    database.exec(`UPDATE ${STATE} SET coordinator_generation = 3`);
    coordinator.recoverAfterRestart({ neverStarted: 'keep' });
    expect(coordinator.readCommand('a')).toMatchObject({
      status: 'accepted',
      expectedCoordinatorGeneration: 3,
    });
    expect(coordinator.readCommand('b')).toMatchObject({
      status: 'failed',
      expectedCoordinatorGeneration: 1,
    });
  });
});
