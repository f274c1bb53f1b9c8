import { expect, test } from 'vitest';
import { setupStores } from '../stores/support/store-setup';

const NEXT = 's-2';

/** A new writer that found one local commit of the last one. */
async function setup() {
  const setup = await setupStores();
  const left = setup.inLocalCommit();
  const recover = () => setup.permits.recoverPriorServerPermits({ currentServerInstanceId: NEXT });
  const settle = () =>
    setup.permits.settleInterruptedLocalCommit({
      workspaceId: 'w',
      permitId: left.permitId,
      outcome: 'committed',
      evidence: { seen: true },
    });
  const isBlocked = (workspaceId: string): boolean =>
    setup.permits.summarize(workspaceId).localCommitInvariantViolation;
  return { ...setup, left, recover, settle, isBlocked };
}

test('a workspace is free once what was found in local commit is settled, whatever is applied since', async () => {
  const { recover, settle, isBlocked, inLocalCommit } = await setup();
  recover();
  expect(isBlocked('w')).toBe(true);
  expect(isBlocked('w-2')).toBe(false);
  settle();
  expect(isBlocked('w')).toBe(false);
  inLocalCommit({ serverInstanceId: NEXT });
  expect(isBlocked('w')).toBe(false);
});

test('a workspace stays blocked until all that was found is settled, found once or twice', async () => {
  const { recover, settle, isBlocked, inLocalCommit, permits } = await setup();
  const other = inLocalCommit();
  recover();
  recover();
  settle();
  expect(isBlocked('w')).toBe(true);
  permits.settleInterruptedLocalCommit({
    workspaceId: 'w',
    permitId: other.permitId,
    outcome: 'not-committed',
    evidence: null,
  });
  expect(isBlocked('w')).toBe(false);
});

test('a settlement that was rolled back unblocks nothing', async () => {
  const { recover, settle, isBlocked, database, permits, left } = await setup();
  recover();
  const undone = () =>
    database.transaction(() => {
      settle();
      throw new RangeError('undone');
    });
  expect(undone).toThrow(RangeError);
  expect(isBlocked('w')).toBe(true);
  expect(permits.read(left.permitId)?.state).toBe('local-commit-entered');
});
