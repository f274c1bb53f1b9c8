import { describe, expect, test } from 'vitest';
import { setup } from './setup';

const add = (id: string) =>
  ['app.mutate', { handler: 'addNote', input: { id, text: id }, workspaceId: 'w-1' }] as const;
const run = (handler: string, input: unknown = {}) =>
  ['app.mutate', { handler, input, workspaceId: 'w-1' }] as const;

async function setupOpen() {
  const bundle = await setup();
  await bundle.openWorkspace();
  return bundle;
}

describe('application handlers', () => {
  test('a mutation without a workspace is WORKSPACE_NONE', async () => {
    const { fail, close } = await setup();
    expect(
      await fail('app.mutate', { handler: 'addNote', input: { id: 'a', text: 'b' }, workspaceId: null }),
    ).toMatchObject({ code: 'WORKSPACE_NONE' });
    close();
  });

  test('a mutation for another workspace than the active one is refused', async () => {
    const { fail, notes, close } = await setupOpen();
    expect(
      await fail('app.mutate', { handler: 'addNote', input: { id: 'a', text: 'b' }, workspaceId: 'w-2' }),
    ).toMatchObject({
      code: 'SYNC_COORDINATOR_INACTIVE_WORKSPACE',
    });
    expect(notes()).toEqual([]);
    close();
  });

  test('a mutation answers with what its handler returned and moves the data version by one', async () => {
    const { ask, context, close } = await setupOpen();
    const before = context.stores.coordinator.readOrCreateState().localDataVersion;
    expect(await ask(...add('a'))).toEqual({ id: 'a', run: 1 });
    expect(context.stores.coordinator.readOrCreateState().localDataVersion).toBe(before + 1);
    close();
  });

  test('a handler’s own error is HANDLER_FAILED with its cause, and nothing of it is kept', async () => {
    const { fail, dump, close } = await setupOpen();
    const before = dump();
    expect(await fail(...run('addThenThrow', { id: 'a', text: 'b' }))).toMatchObject({
      code: 'HANDLER_FAILED',
      details: { handler: 'mutations.addThenThrow' },
      cause: { name: 'RangeError', message: 'after writing' },
    });
    expect(dump()).toBe(before);
    close();
  });

  test('a result too large to send is PAYLOAD_TOO_LARGE, and nothing of it is kept', async () => {
    const { ask, fail, dump, close } = await setupOpen();
    const fits = 31 * 1024 * 1024;
    const limitBytes = 32 * 1024 * 1024;
    const large = (sizeBytes: number) => ({ handler: 'large', input: { sizeBytes }, workspaceId: null });
    expect(await ask('app.query', large(fits))).toMatchObject([{ bytes: { byteLength: fits } }]);
    expect(await fail('app.query', large(limitBytes))).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      details: { handler: 'queries.large', limitBytes },
    });
    const before = dump();
    expect(await fail(...run('addLarge', { sizeBytes: 8 * 1024 * 1024 }))).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      details: { handler: 'mutations.addLarge', limitBytes: 8 * 1024 * 1024 },
    });
    expect(dump()).toBe(before);
    close();
  });

  test.each([
    ['later', 'HANDLER_ASYNC'],
    ['unsendable', 'HANDLER_FAILED'],
    ['touchStore', 'HANDLER_FAILED'],
    ['commit', 'HANDLER_FAILED'],
    ['orphan', 'HANDLER_FAILED'],
  ])('the handler %s ends as %s and changes nothing', async (handler, code) => {
    const { fail, dump, close } = await setupOpen();
    const before = dump();
    expect(await fail(...run(handler))).toMatchObject({ code });
    expect(dump()).toBe(before);
    close();
  });

  test('a query that writes is HANDLER_FAILED', async () => {
    const { fail, notes, close } = await setupOpen();
    expect(await fail('app.query', { handler: 'writing', input: {}, workspaceId: 'w-1' })).toMatchObject({
      code: 'HANDLER_FAILED',
    });
    expect(notes()).toEqual([]);
    close();
  });

  test('a query for another workspace than the active one is refused', async () => {
    const { fail, close } = await setupOpen();
    expect(await fail('app.query', { handler: 'notes', input: {}, workspaceId: 'w-2' })).toMatchObject({
      code: 'SYNC_COORDINATOR_INACTIVE_WORKSPACE',
    });
    close();
  });

  test('an input that the schema refuses is INVALID_INPUT with its path', async () => {
    const { fail, close } = await setupOpen();
    expect(await fail(...run('addNote', { id: 'a', text: 5 }))).toMatchObject({
      code: 'INVALID_INPUT',
      details: { path: 'text' },
    });
    close();
  });

  test('in one message the four kinds of guilty calls fail alone and their neighbours succeed', async () => {
    const { send, notes, close } = await setupOpen();
    await send([add('taken')]);
    const replies = await send([
      add('1'),
      run('addThenThrow', { id: 'x', text: 'x' }),
      add('2'),
      run('orphan'),
      add('3'),
      run('rollback', { id: 'taken', text: 'x' }),
      add('4'),
      run('commit'),
      add('5'),
    ]);
    expect(replies.map((reply) => (reply.ok ? 'ok' : reply.error.code))).toEqual([
      'ok',
      'HANDLER_FAILED',
      'ok',
      'HANDLER_FAILED',
      'ok',
      'HANDLER_FAILED',
      'ok',
      'HANDLER_FAILED',
      'ok',
    ]);
    expect(notes().map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5', 'taken']);
    close();
  });

  test('calls of one message share one commit', async () => {
    const { send, commits, close } = await setupOpen();
    const before = commits.count;
    await send([add('1'), add('2'), add('3')]);
    expect(commits.count - before).toBe(1);
    close();
  });

  test('a mutation asked again after a takeover gets its first answer and does not run again', async () => {
    const { send, runs, notes, close } = await setupOpen();
    const first = await send([add('a')], { callIds: ['call-x'] });
    const again = await send([add('a')], { callIds: ['call-x'], attempt: 2 });
    expect(again).toEqual(first);
    expect(runs.addNote).toBe(1);
    expect(notes()).toHaveLength(1);
    close();
  });

  test('a mutation that never ran runs when it is asked again', async () => {
    const { send, notes, close } = await setupOpen();
    const [reply] = await send([add('a')], { attempt: 2 });
    expect(reply).toMatchObject({ ok: true });
    expect(notes()).toHaveLength(1);
    close();
  });
});
