import { describe, expect, test } from 'vitest';
import { ROW_CODES } from '../../src/domain/error-codes';
import { refusalOf, setupStores, toFence } from './support/store-setup';

describe('permits of tabs that outlive their writer', () => {
  test('are adopted by the next writer, in every state but local commit', async () => {
    const { permits, issueInput, inFlight, answered, inLocalCommit } = await setupStores();
    const idle = permits.issue(issueInput({ holderId: 'tab-1' }));
    const out = inFlight({ holderId: 'tab-1' });
    const back = answered({ holderId: 'tab-1' }, 'accepted');
    const applying = inLocalCommit({ holderId: 'tab-1' });
    expect(permits.adoptPermits({ currentServerInstanceId: 's-2', holderIds: ['tab-1', 'tab-1'] })).toEqual({
      adopted: 3,
    });
    for (const permit of [idle, out, back]) {
      expect(permits.read(permit.permitId)).toEqual({ ...permit, serverInstanceId: 's-2' });
    }
    expect(permits.read(applying.permitId)).toEqual(applying);
  });

  test('are not adopted when their tab is gone, when they are nobody’s, or when they have ended', async () => {
    const { permits, issueInput } = await setupStores();
    permits.issue(issueInput({ holderId: 'tab-2' }));
    permits.issue(issueInput());
    permits.release(toFence(permits.issue(issueInput({ holderId: 'tab-1' }))));
    expect(permits.adoptPermits({ currentServerInstanceId: 's-2', holderIds: ['tab-1'] })).toEqual({
      adopted: 0,
    });
    expect(permits.recoverPriorServerPermits({ currentServerInstanceId: 's-2' })).toEqual({
      clean: 2,
      reconcileRequired: 0,
      localCommitPending: 0,
    });
  });

  test('adopting twice changes nothing more', async () => {
    const { permits, issueInput } = await setupStores();
    permits.issue(issueInput({ holderId: 'tab-1' }));
    const input = { currentServerInstanceId: 's-2', holderIds: ['tab-1'] };
    expect(permits.adoptPermits(input)).toEqual({ adopted: 1 });
    expect(permits.adoptPermits(input)).toEqual({ adopted: 0 });
  });

  test('an issue asked again of the new writer, under its id, is answered with the adopted permit', async () => {
    const { permits, issueInput } = await setupStores();
    const input = issueInput({ permitId: 'p', holderId: 'tab-1' });
    permits.issue(input);
    permits.adoptPermits({ currentServerInstanceId: 's-2', holderIds: ['tab-1'] });
    expect(permits.issue({ ...input, serverInstanceId: 's-2' })).toEqual(permits.read('p'));
  });
});

describe('permits of a tab that is gone', () => {
  test('end clean where nothing went out, and with an obligation where its fate is open', async () => {
    const { permits, issueInput, inFlight, answered } = await setupStores();
    const holderId = 'tab-1';
    const idle = permits.issue(issueInput({ holderId }));
    const out = inFlight({ holderId });
    const accepted = answered({ holderId }, 'accepted');
    const rejected = answered({ holderId }, 'rejected');
    const another = permits.issue(issueInput({ holderId: 'tab-2' }));
    expect(permits.abandonHolderPermits({ holderId, currentServerInstanceId: 's-1' })).toEqual({
      clean: 2,
      reconcileRequired: 2,
    });
    for (const permit of [idle, rejected]) {
      expect(permits.read(permit.permitId)).toMatchObject({
        state: 'abandoned-clean',
        errorCode: ROW_CODES.HOLDER_GONE,
      });
    }
    expect(permits.listOpenRecoveryObligations('w').map((obligation) => obligation.permitId)).toEqual(
      [out.permitId, accepted.permitId].sort(),
    );
    expect(permits.read(another.permitId)).toEqual(another);
  });

  test('are left alone in local commit, and where another writer has them', async () => {
    const { permits, inLocalCommit, issueInput } = await setupStores();
    const applying = inLocalCommit({ holderId: 'tab-1' });
    const elsewhere = permits.issue(issueInput({ holderId: 'tab-1', serverInstanceId: 's-0' }));
    expect(permits.abandonHolderPermits({ holderId: 'tab-1', currentServerInstanceId: 's-1' })).toEqual({
      clean: 0,
      reconcileRequired: 0,
    });
    expect(permits.read(applying.permitId)).toEqual(applying);
    expect(permits.read(elsewhere.permitId)).toEqual(elsewhere);
  });
});

describe('a local commit that was cut short', () => {
  const evidence = { checkedBy: 'reading the rows' };

  test('blocks its workspace until it is settled, and then no longer', async () => {
    const { inLocalCommit, reopen, issueInput } = await setupStores();
    const { permitId } = inLocalCommit();
    const { permits } = reopen();
    permits.recoverPriorServerPermits({ currentServerInstanceId: 's-2' });
    const input = issueInput({ serverInstanceId: 's-2' });
    expect(refusalOf(() => permits.issue(input))).toBe('LOCAL_COMMIT_INVARIANT');
    permits.settleInterruptedLocalCommit({ workspaceId: 'w', permitId, outcome: 'committed', evidence });
    expect(permits.summarize('w').localCommitInvariantViolation).toBe(false);
    expect(refusalOf(() => permits.issue(input))).toBe('none');
  });

  test('unblocks only once none is left', async () => {
    const { inLocalCommit, reopen } = await setupStores();
    const first = inLocalCommit();
    const second = inLocalCommit();
    const { permits } = reopen();
    permits.recoverPriorServerPermits({ currentServerInstanceId: 's-2' });
    const settle = (permitId: string) =>
      permits.settleInterruptedLocalCommit({ workspaceId: 'w', permitId, outcome: 'committed', evidence });
    settle(first.permitId);
    expect(permits.summarize('w').localCommitInvariantViolation).toBe(true);
    settle(second.permitId);
    expect(permits.summarize('w').localCommitInvariantViolation).toBe(false);
  });

  test('stays blocking where its settlement was rolled back', async () => {
    const { inLocalCommit, reopen, database } = await setupStores();
    const { permitId } = inLocalCommit();
    const { permits } = reopen();
    permits.recoverPriorServerPermits({ currentServerInstanceId: 's-2' });
    const failure = new Error('the disk is full');
    const attempt = (): void =>
      database.transaction(() => {
        permits.settleInterruptedLocalCommit({ workspaceId: 'w', permitId, outcome: 'committed', evidence });
        throw failure;
      });
    expect(attempt).toThrow(failure);
    expect(permits.summarize('w').localCommitInvariantViolation).toBe(true);
  });

  test('that took effect is released, with its evidence on the row', async () => {
    const { permits, inLocalCommit } = await setupStores();
    const permit = inLocalCommit();
    const settled = permits.settleInterruptedLocalCommit({
      workspaceId: 'w',
      permitId: permit.permitId,
      outcome: 'committed',
      evidence,
    });
    expect(settled).toMatchObject({ state: 'released', settlementEvidence: evidence });
    expect(permits.read(permit.permitId)).toEqual(settled);
    expect(permits.listOpenRecoveryObligations('w')).toEqual([]);
  });

  test('that did not leaves an obligation to fetch again', async () => {
    const { permits, inLocalCommit } = await setupStores();
    const { permitId } = inLocalCommit({ lastCommittedCursor: { page: 3 } });
    expect(
      permits.settleInterruptedLocalCommit({
        workspaceId: 'w',
        permitId,
        outcome: 'not-committed',
        evidence,
      }),
    ).toMatchObject({
      state: 'abandoned-reconcile-required',
      errorCode: ROW_CODES.LOCAL_COMMIT_SETTLED,
      settlementEvidence: evidence,
    });
    expect(permits.listOpenRecoveryObligations('w')).toMatchObject([
      {
        permitId,
        upstreamDisposition: 'accepted',
        requiredAction: 'refetch-from-committed-cursor',
        lastCommittedCursor: { page: 3 },
      },
    ]);
  });

  test('a local apply that did not take effect ends clean: there is nothing upstream to make good', async () => {
    const { permits, issueInput } = await setupStores();
    const permit = permits.issue(issueInput({ operationClass: 'local-apply' }));
    permits.enterLocalCommit(toFence(permit));
    const { permitId } = permit;
    expect(
      permits.settleInterruptedLocalCommit({
        workspaceId: 'w',
        permitId,
        outcome: 'not-committed',
        evidence,
      }),
    ).toMatchObject({ state: 'abandoned-clean', errorCode: ROW_CODES.LOCAL_COMMIT_SETTLED });
    expect(permits.listOpenRecoveryObligations('w')).toEqual([]);
  });

  test('is refused where the permit is unknown, elsewhere, or not in local commit; once settled it stays', async () => {
    const { permits, inFlight, inLocalCommit } = await setupStores();
    const settle = (
      permitId: string,
      workspaceId = 'w',
      outcome: 'committed' | 'not-committed' = 'committed',
    ) => permits.settleInterruptedLocalCommit({ workspaceId, permitId, outcome, evidence });
    const applying = inLocalCommit();
    expect(refusalOf(() => settle('nobody'))).toBe('PERMIT_NOT_FOUND');
    expect(refusalOf(() => settle(applying.permitId, 'w-2'))).toBe('INACTIVE_WORKSPACE');
    expect(refusalOf(() => settle(inFlight().permitId))).toBe('PERMIT_STATE_CONFLICT');
    const settled = settle(applying.permitId);
    expect(settle(applying.permitId, 'w', 'not-committed')).toEqual(settled);
  });
});
