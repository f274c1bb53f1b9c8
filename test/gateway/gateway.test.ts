import { describe, expect, test } from 'vitest';
import type { Permit } from '../../src/domain/permit';
import { DEADLINE, setup } from './setup';

const CURSOR = { seq: 1 };

async function setupOpen() {
  const bundle = await setup();
  await bundle.openWorkspace();
  let permits = 0;
  const startRequest = (permitIds: readonly string[], sessionId = 'tab-1') =>
    bundle.ask('gateway.startRequest', { permitIds }, sessionId);
  const beginPull = async (sessionId = 'tab-1') => {
    const permitId = `pull-${String(++permits)}`;
    await bundle.ask(
      'gateway.beginPull',
      { permitId, workspaceId: 'w-1', stream: 'main', deadlineAt: DEADLINE },
      sessionId,
    );
    await startRequest([permitId], sessionId);
    return mustRead(permitId);
  };
  const issuePush = (identities: readonly string[], sessionId = 'tab-1') =>
    bundle.ask(
      'gateway.beginPush',
      {
        workspaceId: 'w-1',
        stream: 'main',
        deadlineAt: DEADLINE,
        operations: identities.map((operationIdentity) => ({
          permitId: `push-${String(++permits)}`,
          operationIdentity,
        })),
      },
      sessionId,
    );
  const beginPush = async (identities: readonly string[], sessionId = 'tab-1') => {
    const begun = await issuePush(identities, sessionId);
    const granted = begun.flatMap(({ permit }) => permit?.permitId ?? []);
    if (granted.length > 0) await startRequest(granted, sessionId);
    return begun;
  };
  const mustRead = (permitId: string): Permit => {
    const permit = bundle.context.stores.permits.read(permitId);
    if (permit === null) throw new Error(`no permit ${permitId}`);
    return permit;
  };
  const record = async (permitId: string, disposition: 'accepted' | 'rejected' | 'unknown') => {
    await bundle.ask('gateway.recordOutcomes', { outcomes: [{ permitId, disposition, errorCode: null }] });
    return mustRead(permitId);
  };
  const open = () => bundle.context.stores.permits.listOpenRecoveryObligations('w-1');
  return { ...bundle, beginPull, issuePush, beginPush, startRequest, record, open };
}

const page = [{ id: 'a', text: 'from upstream' }];

describe('a pull', () => {
  test('starts from the committed cursor, applies, moves cursor and version, and releases', async () => {
    const { beginPull, record, ask, notes, context, close } = await setupOpen();
    const permit = await beginPull();
    expect(permit).toMatchObject({
      state: 'gateway-in-flight',
      operationClass: 'pull',
      lastCommittedCursor: null,
      holderId: 'tab-1',
    });
    await record(permit.permitId, 'accepted');
    const before = context.stores.coordinator.readOrCreateState().localDataVersion;
    const applied = await ask('gateway.applyPull', {
      permitId: permit.permitId,
      handler: 'notes',
      page,
      nextCursor: CURSOR,
    });
    expect(applied).toEqual({ localDataVersion: before + 1, output: { applied: 1 } });
    expect(notes()).toEqual(page);
    expect(context.stores.permits.read(permit.permitId)).toMatchObject({ state: 'released' });
    expect((await beginPull()).lastCommittedCursor).toEqual(CURSOR);
    close();
  });

  test('an older page cannot land after a newer one: CURSOR_CONFLICT, nothing written', async () => {
    const { beginPull, record, ask, fail, notes, close } = await setupOpen();
    const slow = await beginPull();
    const fast = await beginPull();
    await record(fast.permitId, 'accepted');
    await ask('gateway.applyPull', { permitId: fast.permitId, handler: 'notes', page, nextCursor: CURSOR });
    await record(slow.permitId, 'accepted');
    const error = await fail('gateway.applyPull', {
      permitId: slow.permitId,
      handler: 'notes',
      page: [{ id: 'old', text: 'old' }],
      nextCursor: { seq: 0 },
    });
    expect(error.code).toBe('SYNC_COORDINATOR_CURSOR_CONFLICT');
    expect(notes()).toEqual(page);
    close();
  });

  test('an apply that throws keeps what is known of the upstream, and its obligation is settled by the next pull', async () => {
    const { beginPull, record, ask, fail, context, open, close } = await setupOpen();
    const { permitId } = await beginPull();
    await record(permitId, 'accepted');
    expect(
      await fail('gateway.applyPull', { permitId, handler: 'broken', page, nextCursor: CURSOR }),
    ).toMatchObject({
      code: 'HANDLER_FAILED',
      details: { handler: 'apply.broken' },
    });
    expect(context.stores.permits.read(permitId)).toMatchObject({
      state: 'gateway-complete-awaiting-apply',
      upstreamDisposition: 'accepted',
    });
    await ask('gateway.abandon', {
      permitIds: [permitId],
      errorCode: 'WORKSPACE_SYNC_V3_APPLY_NOT_COMMITTED',
    });
    expect(open()).toHaveLength(1);
    const next = await beginPull();
    await record(next.permitId, 'accepted');
    await ask('gateway.applyPull', { permitId: next.permitId, handler: 'notes', page, nextCursor: CURSOR });
    expect(open()).toEqual([]);
    close();
  });

  test('of unknown fate leaves an obligation; rejected, it ends clean', async () => {
    const { beginPull, record, open, close } = await setupOpen();
    const refused = await record((await beginPull()).permitId, 'rejected');
    expect(refused).toMatchObject({ state: 'abandoned-clean' });
    expect(open()).toEqual([]);
    const lost = await record((await beginPull()).permitId, 'unknown');
    expect(lost).toMatchObject({ state: 'abandoned-reconcile-required' });
    expect(open()).toMatchObject([{ requiredAction: 'refetch-from-committed-cursor' }]);
    close();
  });

  test('an obligation whose cursor was overtaken is settled too', async () => {
    const { beginPull, record, ask, open, close } = await setupOpen();
    const slow = await beginPull();
    const fast = await beginPull();
    await record(fast.permitId, 'accepted');
    await ask('gateway.applyPull', { permitId: fast.permitId, handler: 'notes', page, nextCursor: CURSOR });
    await record(slow.permitId, 'unknown');
    expect(open()).toHaveLength(1);
    const next = await beginPull();
    await record(next.permitId, 'accepted');
    await ask('gateway.applyPull', {
      permitId: next.permitId,
      handler: 'notes',
      page: [],
      nextCursor: { seq: 2 },
    });
    expect(open()).toEqual([]);
    close();
  });

  test('begun again after a takeover it is the same permit, though the cursor has moved', async () => {
    const { beginPull, record, ask, context, close } = await setupOpen();
    const input = { permitId: 'again', workspaceId: 'w-1', stream: 'main', deadlineAt: DEADLINE };
    const first = await ask('gateway.beginPull', input);
    const other = await beginPull();
    await record(other.permitId, 'accepted');
    await ask('gateway.applyPull', { permitId: other.permitId, handler: 'notes', page, nextCursor: CURSOR });
    expect(await ask('gateway.beginPull', input)).toEqual(context.stores.permits.read(first.permitId));
    close();
  });

  test('belongs to the tab that began it', async () => {
    const { beginPull, fail, close } = await setupOpen();
    const { permitId } = await beginPull('tab-1');
    const error = await fail(
      'gateway.recordOutcomes',
      { outcomes: [{ permitId, disposition: 'accepted', errorCode: null }] },
      'tab-2',
    );
    expect(error.code).toBe('SYNC_COORDINATOR_PERMIT_IDENTITY_CONFLICT');
    close();
  });

  test('of another workspace is refused', async () => {
    const { fail, close } = await setupOpen();
    const error = await fail('gateway.beginPull', {
      permitId: 'p',
      workspaceId: 'w-2',
      stream: 'main',
      deadlineAt: DEADLINE,
    });
    expect(error.code).toBe('SYNC_COORDINATOR_INACTIVE_WORKSPACE');
    close();
  });
});

describe('a push', () => {
  test('accepted is applied and released, and its identity is not sent again', async () => {
    const { beginPush, ask, context, notes, close } = await setupOpen();
    const begun = await beginPush(['op-1', 'op-2']);
    const permitIds = begun.flatMap(({ permit }) => permit?.permitId ?? []);
    expect(begun.map(({ status }) => status)).toEqual(['granted', 'granted']);
    await ask('gateway.recordOutcomes', {
      outcomes: permitIds.map((permitId) => ({ permitId, disposition: 'accepted', errorCode: null })),
    });
    await ask('gateway.applyPush', { permitIds, handler: 'notes', page });
    expect(notes()).toEqual(page);
    expect(permitIds.map((id) => context.stores.permits.read(id)?.state)).toEqual(['released', 'released']);
    expect((await beginPush(['op-1', 'op-3'])).map(({ status }) => status)).toEqual([
      'already-accepted',
      'granted',
    ]);
    close();
  });

  test('an operation that another tab is sending is busy', async () => {
    const { beginPush, close } = await setupOpen();
    await beginPush(['op-1'], 'tab-1');
    expect((await beginPush(['op-1', 'op-2'], 'tab-2')).map(({ status }) => status)).toEqual([
      'busy',
      'granted',
    ]);
    close();
  });

  test('of unknown fate leaves an obligation that its next acceptance settles', async () => {
    const { beginPush, record, ask, open, close } = await setupOpen();
    const [first] = await beginPush(['op-1']);
    await record(first?.permit?.permitId ?? '', 'unknown');
    expect(open()).toMatchObject([
      { requiredAction: 'replay-operation-then-reconcile', operationIdentity: 'op-1' },
    ]);
    const [second] = await beginPush(['op-1', 'op-2']);
    const permitId = second?.permit?.permitId ?? '';
    await record(permitId, 'accepted');
    await ask('gateway.applyPush', { permitIds: [permitId], handler: null, page: null });
    expect(open()).toEqual([]);
    close();
  });

  test('refused is released, settles an earlier obligation, and may be sent again', async () => {
    const { beginPush, record, open, close } = await setupOpen();
    const [first] = await beginPush(['op-1']);
    await record(first?.permit?.permitId ?? '', 'unknown');
    const [second] = await beginPush(['op-1']);
    const refused = await record(second?.permit?.permitId ?? '', 'rejected');
    expect(refused).toMatchObject({ state: 'released', upstreamDisposition: 'rejected' });
    expect(open()).toEqual([]);
    expect((await beginPush(['op-1'])).map(({ status }) => status)).toEqual(['granted']);
    close();
  });

  test('one whose deadline has passed no longer keeps its operation busy', async () => {
    const { beginPush, ask, time, open, close } = await setupOpen();
    await beginPush(['op-1']);
    time.nowMs = Date.parse(DEADLINE) + 1;
    const [begun] = await ask('gateway.beginPush', {
      workspaceId: 'w-1',
      stream: 'main',
      deadlineAt: new Date(time.nowMs + 60_000).toISOString(),
      operations: [{ permitId: 'later', operationIdentity: 'op-1' }],
    });
    expect(begun).toMatchObject({ status: 'granted' });
    expect(open()).toMatchObject([{ operationIdentity: 'op-1', upstreamDisposition: 'unknown' }]);
    close();
  });

  test('begun again after a takeover it has the permits of the first time', async () => {
    const { ask, context, close } = await setupOpen();
    const input = {
      workspaceId: 'w-1',
      stream: 'main',
      deadlineAt: DEADLINE,
      operations: [{ permitId: 'p-1', operationIdentity: 'op-1' }],
    };
    const [first] = await ask('gateway.beginPush', input);
    const again = await ask('gateway.beginPush', input);
    expect(again).toEqual([first]);
    expect(context.stores.permits.summarize('w-1').active).toBe(1);
    close();
  });
});

describe('before its request goes out', () => {
  test('a pull that is given up ends clean', async () => {
    const { ask, context, open, close } = await setupOpen();
    await ask('gateway.beginPull', {
      permitId: 'p',
      workspaceId: 'w-1',
      stream: 'main',
      deadlineAt: DEADLINE,
    });
    expect(context.stores.permits.read('p')).toMatchObject({ state: 'issued-idle' });
    await ask('gateway.abandon', { permitIds: ['p'], errorCode: 'ABORTED' });
    expect(context.stores.permits.read('p')).toMatchObject({
      state: 'abandoned-clean',
      errorCode: 'ABORTED',
    });
    expect(open()).toEqual([]);
    close();
  });

  test('a push that is given up ends clean, and its operation is free', async () => {
    const { ask, issuePush, open, close } = await setupOpen();
    const [begun] = await issuePush(['op-1']);
    expect((await issuePush(['op-1'], 'tab-2')).map(({ status }) => status)).toEqual(['busy']);
    await ask('gateway.abandon', { permitIds: [begun?.permit?.permitId ?? ''], errorCode: 'ABORTED' });
    expect(open()).toEqual([]);
    expect((await issuePush(['op-1'], 'tab-2')).map(({ status }) => status)).toEqual(['granted']);
    close();
  });

  test.each([
    ['by another tab', 'tab-2', false],
    ['after it went out', 'tab-1', true],
  ])('a push begun again %s is granted nothing', async (_how, sessionId, isStarted) => {
    const { ask, startRequest, close } = await setupOpen();
    const operations = [{ permitId: 'p-1', operationIdentity: 'op-1' }];
    const input = { workspaceId: 'w-1', stream: 'main', deadlineAt: DEADLINE, operations };
    await ask('gateway.beginPush', input);
    if (isStarted) await startRequest(['p-1']);
    expect(await ask('gateway.beginPush', input, sessionId)).toEqual([
      { operationIdentity: 'op-1', status: 'busy', permit: null },
    ]);
    close();
  });

  test('a push whose permit was lost to its page’s absence does not go out', async () => {
    const { ask, fail, context, close } = await setupOpen();
    const operations = [{ permitId: 'p-1', operationIdentity: 'op-1' }];
    await ask('gateway.beginPush', { workspaceId: 'w-1', stream: 'main', deadlineAt: DEADLINE, operations });
    context.stores.permits.abandonHolderPermits({
      holderId: 'tab-1',
      currentServerInstanceId: context.serverInstanceId,
    });
    const error = await fail('gateway.startRequest', { permitIds: ['p-1'] });
    expect(error.code).toBe('SYNC_COORDINATOR_PERMIT_STATE_CONFLICT');
    close();
  });
});

describe('a workspace', () => {
  test('opened twice changes nothing the second time', async () => {
    const { openWorkspace, dump, close } = await setup();
    const first = await openWorkspace();
    expect(first).toMatchObject({
      activeWorkspaceId: 'w-1',
      ownershipMode: 'browser-gateway',
      transitionState: 'idle',
    });
    const before = dump();
    expect(await openWorkspace()).toEqual(first);
    expect(dump()).toBe(before);
    close();
  });

  test('opened while another is active is WORKSPACE_ACTIVE_ELSEWHERE', async () => {
    const { openWorkspace, fail, close } = await setup();
    await openWorkspace();
    expect(
      await fail('workspaces.open', { workspaceId: 'w-2', principal: { userId: 'u', tenantId: 't' } }),
    ).toMatchObject({
      code: 'WORKSPACE_ACTIVE_ELSEWHERE',
      details: { expected: 'w-2', actual: 'w-1' },
    });
    close();
  });
});

describe('a permit by hand', () => {
  const input = {
    workspaceId: 'w-1',
    coordinatorGeneration: 1,
    operationClass: 'pull',
    deadlineAt: DEADLINE,
  } as const;

  test('is issued for the tab that asks, under the present writer', async () => {
    const { ask, context, close } = await setupOpen();
    expect(await ask('permits.issue', { ...input, permitId: 'p-1' }, 'tab-7')).toMatchObject({
      permitId: 'p-1',
      holderId: 'tab-7',
      serverInstanceId: context.serverInstanceId,
    });
    close();
  });

  test('is never born under a dead writer’s instance', async () => {
    const { fail, close } = await setupOpen();
    expect(await fail('permits.issue', { ...input, serverInstanceId: '0.dead' })).toMatchObject({
      code: 'SYNC_COORDINATOR_PERMIT_SERVER_MISMATCH',
    });
    close();
  });

  test('with a deadline that cannot be read is the store’s to refuse', async () => {
    const { fail, close } = await setupOpen();
    expect(await fail('permits.issue', { ...input, deadlineAt: 'soon' })).toMatchObject({
      code: 'SYNC_COORDINATOR_PERMIT_EXPIRED',
    });
    close();
  });
});
