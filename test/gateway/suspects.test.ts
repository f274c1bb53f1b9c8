/** Calls that a writer died with: run alone under a mark, answered as if nothing were, and given up at the second death under it. */
import { describe, expect, test } from 'vitest';
import { makeCallId } from '../../src/domain/call-id';
import { CallRunner } from '../../worker/gateway/call-runner';
import { SessionPort } from '../../worker/gateway/session-port';
import { CallMarks } from '../../worker/stores/call-marks';
import { setup } from './setup';

const add = (id: string) => ({ handler: 'addNote', input: { id, text: id }, workspaceId: 'w-1' });
const notesInput = { handler: 'notes', input: {}, workspaceId: 'w-1' };

async function setupOpen() {
  const bundle = await setup();
  await bundle.openWorkspace();
  const { context, scheduler, time } = bundle;
  const marks = () => context.database.prepare('SELECT call_id FROM local_sync_call_marks').all();
  /** A port of the writer after this one. */
  const nextWriter = () => {
    const later = new CallMarks({ database: context.database, clock: context.clock, epoch: 2 });
    const runner = new CallRunner({ scheduler, marks: later });
    return new SessionPort(
      { ...context, marks: later },
      { sessionId: 'tab-1', runner, handOver: () => undefined },
    );
  };
  const envelope = (call: string, input: unknown, { callId = 'c-1', deaths = 2, diedEpoch = 1 } = {}) => ({
    callId,
    call,
    input,
    deadlineAt: time.nowMs + 30_000,
    attempt: deaths + 1,
    deaths,
    diedEpoch: deaths === 0 ? null : diedEpoch,
  });
  return { ...bundle, marks, nextWriter, envelope };
}

describe('a call that a writer died with', () => {
  test('runs, is answered, and leaves no mark', async () => {
    const { send, notes, marks, close } = await setupOpen();
    const [reply] = await send([['app.mutate', add('a')]], { attempt: 2, deaths: 1 });
    expect(reply).toMatchObject({ ok: true, value: { id: 'a', run: 1 } });
    expect(notes()).toHaveLength(1);
    expect(marks()).toEqual([]);
    close();
  });

  test('shares its transaction with nobody', async () => {
    const { send, commits, close } = await setupOpen();
    const before = commits.count;
    await send(
      [
        ['app.mutate', add('a')],
        ['app.mutate', add('b')],
      ],
      { attempt: 2, deaths: 1 },
    );
    expect(commits.count - before, 'mark and work, for each').toBe(4);
    close();
  });

  test('a read and a failing call leave no mark either', async () => {
    const { send, marks, close } = await setupOpen();
    const replies = await send(
      [
        ['app.query', notesInput],
        ['app.mutate', { ...add('a'), handler: 'addThenThrow' }],
      ],
      { attempt: 2, deaths: 1 },
    );
    expect(replies.map(({ ok }) => ok)).toEqual([true, false]);
    expect(marks()).toEqual([]);
    close();
  });

  test('keeps its place before the later writes of its tab', async () => {
    const { portOf, envelope, ask, close } = await setupOpen();
    const port = portOf('tab-1');
    await Promise.all([
      port.invoke([
        envelope('app.mutate', add('a'), { callId: 'c-a', deaths: 1 }),
        envelope('app.mutate', add('b'), { callId: 'c-b', deaths: 0 }),
      ]),
      port.invoke([envelope('app.mutate', add('c'), { callId: 'c-c', deaths: 0 })]),
    ]);
    const rows = (await ask('app.query', notesInput)) as readonly { readonly id: string }[];
    expect(rows).toHaveLength(3);
    const runs = await port.invoke(
      ['a', 'b', 'c'].map((id) => envelope('app.mutate', add(id), { callId: `c-${id}`, deaths: 1 })),
    );
    expect(
      runs.map((reply) => reply.ok && reply.value),
      'the receipts tell the order',
    ).toEqual([
      { id: 'a', run: 1 },
      { id: 'b', run: 2 },
      { id: 'c', run: 3 },
    ]);
    close();
  });

  test('is CALL_CRASHED_WRITER after two deaths while it ran alone; others go on', async () => {
    const { context, nextWriter, envelope, notes, close } = await setupOpen();
    context.marks.set('c-1', 1);
    const replies = await nextWriter().invoke([
      envelope('app.mutate', add('a')),
      envelope('app.mutate', add('b'), { callId: 'c-2' }),
    ]);
    expect(replies).toMatchObject([
      {
        ok: false,
        error: {
          code: 'CALL_CRASHED_WRITER',
          details: { call: 'app.mutate', callId: 'c-1', deaths: 2, outcome: 'not-executed' },
        },
      },
      { ok: true },
    ]);
    expect(notes()).toEqual([{ id: 'b', text: 'b' }]);
    close();
  });

  test('runs once more after a first death while it ran alone: that may have come from outside', async () => {
    const { context, nextWriter, envelope, marks, close } = await setupOpen();
    context.marks.set('c-1', 0);
    const [reply] = await nextWriter().invoke([envelope('app.mutate', add('a'))]);
    expect(reply).toMatchObject({ ok: true, value: { id: 'a', run: 1 } });
    expect(marks()).toEqual([]);
    close();
  });

  test('of which an earlier run may have left a row is not said to be without effect', async () => {
    const { context, nextWriter, envelope, close } = await setupOpen();
    context.marks.set('c-1', 1);
    const [reply] = await nextWriter().invoke([
      envelope('workspaces.open', { workspaceId: 'w-1', principal: { userId: 'u', tenantId: 't' } }),
    ]);
    expect(reply).toMatchObject({
      error: { code: 'CALL_CRASHED_WRITER', details: { outcome: 'unknown' } },
    });
    close();
  });

  test('is not blamed by the mark of a writer whose page said goodbye, though another died later', async () => {
    const { context, nextWriter, envelope, close } = await setupOpen();
    context.marks.set('c-1', 1);
    const [reply] = await nextWriter().invoke([envelope('app.mutate', add('a'), { diedEpoch: 7 })]);
    expect(reply).toMatchObject({ ok: true });
    close();
  });

  test('is answered from its receipt though two writers died: it took effect before', async () => {
    const { context, send, nextWriter, envelope, runs, close } = await setupOpen();
    await send([['app.mutate', add('a')]], { callIds: ['c-1'] });
    context.marks.set('c-1', 1);
    const [reply] = await nextWriter().invoke([envelope('app.mutate', add('a'))]);
    expect(reply).toMatchObject({ ok: true, value: { id: 'a', run: 1 } });
    expect(runs.addNote).toBe(1);
    close();
  });

  test('a trap of the engine ends the writer: nothing of the batch is answered or kept', async () => {
    const { database, close } = await setupOpen();
    const fatal: unknown[] = [];
    const { Scheduler } = await import('../../worker/scheduler/scheduler');
    const { isEngineTrap } = await import('../../worker/sqlite/engine-trap');
    const trap = new WebAssembly.RuntimeError('unreachable');
    const scheduler = new Scheduler({
      database,
      now: () => 0,
      monotonicMs: () => 0,
      yieldTurn: () => Promise.resolve(),
      isFatal: isEngineTrap,
      onFatal: (error) => fatal.push(error),
    });
    const run = (work: () => unknown) =>
      new Promise((settle) => scheduler.submit({ kind: 'write', deadlineAt: null, work, settle }));
    const insert = () => database.prepare("INSERT INTO notes VALUES ('x', 'x')").run();
    const outcomes = await Promise.all([
      run(insert),
      run(() => {
        throw new Error('handler', { cause: trap });
      }),
    ]);
    expect(outcomes).toMatchObject([{ ok: false }, { ok: false }]);
    expect(fatal).toHaveLength(1);
    expect(database.prepare('SELECT * FROM notes').all()).toEqual([]);
    close();
  });
});

describe('what became of a call', () => {
  const uuid = '6f1c2a34-0b1d-4a5e-8f00-112233445566';
  const idOf = (kind: 'receipt' | 'row', now: number) => makeCallId(kind, { now, uuid });

  test('is done with its value where it took effect', async () => {
    const { send, ask, time, close } = await setupOpen();
    const callId = idOf('receipt', time.nowMs);
    await send([['app.mutate', add('a')]], { callIds: [callId] });
    expect(await ask('calls.readOutcome', { callId })).toEqual({
      status: 'done',
      value: { id: 'a', run: 1 },
    });
    close();
  });

  test('is not-executed where it failed, and where it never came', async () => {
    const { send, ask, time, close } = await setupOpen();
    const callId = idOf('receipt', time.nowMs);
    await send([['app.mutate', { ...add('a'), handler: 'addThenThrow' }]], { callIds: [callId] });
    expect(await ask('calls.readOutcome', { callId })).toEqual({ status: 'not-executed' });
    expect(await ask('calls.readOutcome', { callId: idOf('receipt', time.nowMs - 5) })).toEqual({
      status: 'not-executed',
    });
    close();
  });

  test('is pending while the writer has it', async () => {
    const { portOf, time, envelope, close } = await setupOpen();
    const callId = idOf('receipt', time.nowMs);
    const port = portOf('tab-1');
    const read = envelope('calls.readOutcome', { callId }, { callId: 'c-read', deaths: 0 });
    const mutate = envelope('app.mutate', add('a'), { callId, deaths: 0 });
    const [, [outcome]] = await Promise.all([port.invoke([mutate]), port.invoke([read])]);
    expect(outcome).toMatchObject({ ok: true, value: { status: 'pending' } });
    close();
  });

  test('stays unknown where its receipt was pruned under a clock that was set forward and back', async () => {
    const { send, ask, time, context, close } = await setupOpen();
    const callId = idOf('receipt', time.nowMs);
    await send([['app.mutate', add('a')]], { callIds: [callId] });
    time.nowMs += 30 * 86_400_000;
    expect(context.database.transaction(() => context.receipts.prune(10))).toBe(1);
    time.nowMs -= 30 * 86_400_000;
    expect(await ask('calls.readOutcome', { callId })).toEqual({ status: 'unknown' });
    close();
  });

  test('is unknown for a call answered by its row, for what is no call id, and past the life of receipts', async () => {
    const { ask, time, close } = await setupOpen();
    const old = idOf('receipt', time.nowMs - 7 * 86_400_000 - 1);
    for (const callId of [idOf('row', time.nowMs), 'nonsense', old]) {
      expect(await ask('calls.readOutcome', { callId })).toEqual({ status: 'unknown' });
    }
    close();
  });
});

describe('a call asked again', () => {
  test('too late is answered from its receipt all the same', async () => {
    const { send, portOf, envelope, runs, close } = await setupOpen();
    await send([['app.mutate', add('a')]], { callIds: ['c-1'] });
    const late = { ...envelope('app.mutate', add('a'), { deaths: 1 }), deadlineAt: 1 };
    const [reply] = await portOf('tab-1').invoke([late]);
    expect(reply).toMatchObject({ ok: true, value: { id: 'a', run: 1 } });
    expect(runs.addNote).toBe(1);
    close();
  });

  test('too late, without a receipt but perhaps with a row, is not said to be without effect', async () => {
    const { portOf, envelope, close } = await setupOpen();
    const open = { workspaceId: 'w-1', principal: { userId: 'u', tenantId: 't' } };
    const outcomes = await portOf('tab-1').invoke([
      { ...envelope('workspaces.open', open, { callId: 'c-1', deaths: 1 }), deadlineAt: 1 },
      { ...envelope('workspaces.open', open, { callId: 'c-2', deaths: 0 }), deadlineAt: 1 },
    ]);
    expect(outcomes).toMatchObject([
      { error: { code: 'DEADLINE_EXCEEDED', details: { outcome: 'unknown' } } },
      { error: { code: 'DEADLINE_EXCEEDED', details: { outcome: 'not-executed' } } },
    ]);
    close();
  });

  test('while its first copy still waits is under way until both are through, and a cancel ends both', async () => {
    const { portOf, envelope, notes, time, close } = await setupOpen();
    const callId = makeCallId('receipt', { now: time.nowMs, uuid: '6f1c2a34-0b1d-4a5e-8f00-112233445566' });
    const mutate = envelope('app.mutate', add('a'), { callId, deaths: 0 });
    const first = portOf('tab-1').invoke([mutate]);
    const second = portOf('tab-2').invoke([{ ...mutate, attempt: 2 }]);
    const cancel = envelope('calls.cancel', { callIds: [callId] }, { callId: 'c-cancel', deaths: 0 });
    await portOf('tab-2').invoke([cancel]);
    expect((await Promise.all([first, second])).flat()).toMatchObject([
      { error: { code: 'ABORTED' } },
      { error: { code: 'ABORTED' } },
    ]);
    expect(notes()).toEqual([]);
    close();
  });

  test('of a tab that is gone by now is not run', async () => {
    const { portOf, envelope, notes, close } = await setupOpen();
    const port = portOf('tab-1');
    const asked = port.invoke([envelope('app.mutate', add('a'), { deaths: 1 })]);
    port.end();
    expect(await asked).toMatchObject([{ error: { code: 'ABORTED', details: { outcome: 'not-executed' } } }]);
    expect(notes()).toEqual([]);
    close();
  });
});

describe('the last applied pull of a stream', () => {
  test('is told once committed, for its own stream', async () => {
    const { ask, close } = await setupOpen();
    const scope = { workspaceId: 'w-1', stream: 'main' };
    expect(await ask('gateway.readLastPull', scope)).toBeNull();
    await ask('gateway.beginPull', { ...scope, permitId: 'p-1', deadlineAt: '2030-01-01T00:00:00.000Z' });
    await ask('gateway.startRequest', { permitIds: ['p-1'] });
    await ask('gateway.recordOutcomes', {
      outcomes: [{ permitId: 'p-1', disposition: 'accepted', errorCode: null }],
    });
    const page = [{ id: 'n', text: 'n' }];
    await ask('gateway.applyPull', { permitId: 'p-1', handler: 'notes', page, nextCursor: { seq: 1 } });
    expect(await ask('gateway.readLastPull', scope)).toMatchObject({
      permitId: 'p-1',
      cursor: { seq: 1 },
      output: { applied: 1 },
    });
    expect(await ask('gateway.readLastPull', { ...scope, stream: 'other' })).toBeNull();
    close();
  });

  test('is not told where its apply failed', async () => {
    const { ask, fail, close } = await setupOpen();
    const scope = { workspaceId: 'w-1', stream: 'main' };
    await ask('gateway.beginPull', { ...scope, permitId: 'p-1', deadlineAt: '2030-01-01T00:00:00.000Z' });
    await ask('gateway.startRequest', { permitIds: ['p-1'] });
    await ask('gateway.recordOutcomes', {
      outcomes: [{ permitId: 'p-1', disposition: 'accepted', errorCode: null }],
    });
    await fail('gateway.applyPull', { permitId: 'p-1', handler: 'broken', page: [], nextCursor: { seq: 1 } });
    expect(await ask('gateway.readLastPull', scope)).toBeNull();
    close();
  });
});
