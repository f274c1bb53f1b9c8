import { describe, expect, test } from 'vitest';
import { DEADLINE, setup } from './setup';

/**
 * What ends a permit leaves it under the writer that ended it: no later writer adopts a permit that is over. So a
 * repeat cannot be answered from the row, whose instance the next writer's fence does not match.
 */
describe('a call that ended a permit, asked again of the next writer, has the answer of its first run', () => {
  test.each(['permits.release', 'permits.abandonPermit'])('%s', async (call) => {
    const { ask, send, openWorkspace, context, close } = await setup();
    const { coordinatorGeneration } = await openWorkspace();
    const scope = { workspaceId: 'w-1', coordinatorGeneration };
    const issue = { ...scope, operationClass: 'handshake', deadlineAt: DEADLINE } as const;
    const { permitId } = await ask('permits.issue', issue);
    const first = await send([[call, { ...scope, permitId }]], { callIds: ['c-1'] });
    expect(first).toMatchObject([{ ok: true }]);
    context.database
      .prepare('UPDATE local_sync_execution_permits SET server_instance_id = ?')
      .run(['0.dead']);
    const again = await send([[call, { ...scope, permitId }]], { callIds: ['c-1'], attempt: 2 });
    expect(again).toEqual(first);
    close();
  });

  test('permits.completeLocalCommit', async () => {
    const { ask, send, openWorkspace, context, close } = await setup();
    const { coordinatorGeneration } = await openWorkspace();
    const scope = { workspaceId: 'w-1', coordinatorGeneration };
    const issue = { ...scope, operationClass: 'local-apply', deadlineAt: DEADLINE } as const;
    const { permitId } = await ask('permits.issue', issue);
    await ask('permits.enterLocalCommit', { ...scope, permitId });
    const call = ['permits.completeLocalCommit', { ...scope, permitId }] as const;
    const first = await send([call], { callIds: ['c-1'] });
    expect(first).toMatchObject([{ ok: true }]);
    context.database
      .prepare('UPDATE local_sync_execution_permits SET server_instance_id = ?')
      .run(['0.dead']);
    expect(await send([call], { callIds: ['c-1'], attempt: 2 })).toEqual(first);
    close();
  });
});

describe('a local commit that its writer did not live to see completed', () => {
  async function setupInterrupted() {
    const bundle = await setup();
    const { coordinatorGeneration } = await bundle.openWorkspace();
    const scope = { workspaceId: 'w-1', coordinatorGeneration };
    const issue = { ...scope, operationClass: 'local-apply', deadlineAt: DEADLINE } as const;
    const { permitId } = await bundle.ask('permits.issue', issue);
    const fence = { ...scope, permitId };
    const entered = await bundle.ask('permits.enterLocalCommit', fence);
    bundle.context.database
      .prepare('UPDATE local_sync_execution_permits SET server_instance_id = ?')
      .run(['0.dead']);
    const { stores, serverInstanceId } = bundle.context;
    const recovered = stores.permits.recoverPriorServerPermits({ currentServerInstanceId: serverInstanceId });
    expect(recovered).toMatchObject({ localCommitPending: 1 });
    return { ...bundle, fence, issue, entered };
  }

  test('is entered as far as the tab that holds it can tell, and completed on its word; the workspace is free again', async () => {
    const { ask, fail, fence, issue, entered, close } = await setupInterrupted();
    expect(await fail('permits.issue', issue)).toMatchObject({
      code: 'SYNC_COORDINATOR_LOCAL_COMMIT_INVARIANT',
    });
    expect(await ask('permits.enterLocalCommit', fence)).toEqual({ ...entered, serverInstanceId: '0.dead' });
    expect(await ask('permits.completeLocalCommit', fence)).toMatchObject({
      state: 'released',
      settlementEvidence: { version: 1, kind: 'completed-by-holder', interrupted: '0.dead' },
    });
    await ask('permits.issue', issue);
    close();
  });

  test('is nothing that another tab, or another fence, can complete', async () => {
    const { portOf, time, fail, fence, close } = await setupInterrupted();
    const envelope = {
      callId: 'c-other',
      call: 'permits.completeLocalCommit',
      input: fence,
      deadlineAt: time.nowMs + 30_000,
      attempt: 1,
      deaths: 0,
      diedEpoch: null,
    };
    const [reply] = await portOf('tab-2').invoke([envelope]);
    expect(reply).toMatchObject({ ok: false, error: { code: 'SYNC_COORDINATOR_PERMIT_SERVER_MISMATCH' } });
    for (const wrong of [
      { ...fence, serverInstanceId: '0.another' },
      { ...fence, coordinatorGeneration: fence.coordinatorGeneration + 1 },
      { ...fence, workspaceId: 'w-2' },
    ]) {
      await fail('permits.completeLocalCommit', wrong);
    }
    close();
  });

  test('can be settled by whoever knows how it ended', async () => {
    const { ask, fence, issue, close } = await setupInterrupted();
    const { workspaceId, permitId } = fence;
    const settle = {
      workspaceId,
      permitId,
      outcome: 'not-committed',
      evidence: { checked: 'by hand' },
    } as const;
    expect(await ask('permits.settleInterruptedLocalCommit', settle)).toMatchObject({
      state: 'abandoned-clean',
    });
    await ask('permits.issue', issue);
    close();
  });
});
