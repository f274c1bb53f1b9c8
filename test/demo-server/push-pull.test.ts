import { expect, test } from 'vitest';
import { accepted, addTask, counted, deleteTask, rejected, setDone, setup, task } from './setup';

const since = (seq: number): string => `&since=${encodeURIComponent(JSON.stringify({ seq }))}`;

test('a pull without a cursor reads every task from the start', async () => {
  const { push, pull } = await setup();
  expect(await push(addTask('o-1', 'a'), addTask('o-2', 'b'))).toEqual(accepted('o-1', 'o-2'));
  expect(await pull()).toEqual({
    changes: [task(1, 'a'), task(2, 'b')],
    nextCursor: { seq: 2 },
    more: false,
  });
});

test('a pull of an unknown workspace is empty at cursor 0', async () => {
  const { pull } = await setup();
  expect(await pull()).toEqual({ changes: [], nextCursor: { seq: 0 }, more: false });
});

test('a pull with a cursor reads only what changed after it', async () => {
  const { push, pull } = await setup();
  await push(addTask('o-1', 'a'), addTask('o-2', 'b'));
  await push(setDone('o-3', 'a'));
  expect(await pull(since(2))).toEqual({
    changes: [task(3, 'a', { done: true })],
    nextCursor: { seq: 3 },
    more: false,
  });
  expect(await pull(since(3))).toEqual({ changes: [], nextCursor: { seq: 3 }, more: false });
});

test('a page holds the limit and says whether more follow', async () => {
  const { push, pull } = await setup();
  await push(addTask('o-1', 'a'), addTask('o-2', 'b'), addTask('o-3', 'c'), addTask('o-4', 'd'));
  expect(await pull('&limit=2')).toEqual({
    changes: [task(1, 'a'), task(2, 'b')],
    nextCursor: { seq: 2 },
    more: true,
  });
  expect(await pull(`&limit=2${since(2)}`)).toEqual({
    changes: [task(3, 'c'), task(4, 'd')],
    nextCursor: { seq: 4 },
    more: false,
  });
});

test('a task that changes between two pages comes again at its new place', async () => {
  const { push, pull } = await setup();
  await push(addTask('o-1', 'a'), addTask('o-2', 'b'));
  expect(await pull('&limit=1')).toMatchObject({ changes: [task(1, 'a')], more: true });
  await push(setDone('o-3', 'a'));
  expect(await pull(since(1))).toMatchObject({ changes: [task(2, 'b'), task(3, 'a', { done: true })] });
});

test('a deleted task stays in the log as deleted', async () => {
  const { push, pull } = await setup();
  await push(addTask('o-1', 'a'), deleteTask('o-2', 'a'));
  expect(await pull()).toEqual({
    changes: [task(2, 'a', { deleted: true })],
    nextCursor: { seq: 2 },
    more: false,
  });
});

test('deleting a deleted task is accepted', async () => {
  const { push } = await setup();
  await push(addTask('o-1', 'a'), deleteTask('o-2', 'a'));
  expect(await push(deleteTask('o-3', 'a'))).toEqual(accepted('o-3'));
});

test('a task can be done and undone', async () => {
  const { push, pull } = await setup();
  await push(addTask('o-1', 'a'), setDone('o-2', 'a'), setDone('o-3', 'a', false));
  expect(await pull()).toMatchObject({ changes: [task(3, 'a')] });
});

test('an operation that does not fit the tasks is rejected with its reason and its neighbours are not', async () => {
  const { push, pull } = await setup();
  const operations = [
    addTask('o-1', 'a'),
    addTask('o-2', 'a'),
    setDone('o-3', 'none'),
    deleteTask('o-4', 'none'),
    deleteTask('o-5', 'a'),
    setDone('o-6', 'a'),
  ];
  expect(await push(...operations)).toEqual({
    results: [
      { identity: 'o-1', disposition: 'accepted' },
      { identity: 'o-2', disposition: 'rejected', reason: 'task-exists' },
      { identity: 'o-3', disposition: 'rejected', reason: 'task-not-found' },
      { identity: 'o-4', disposition: 'rejected', reason: 'task-not-found' },
      { identity: 'o-5', disposition: 'accepted' },
      { identity: 'o-6', disposition: 'rejected', reason: 'task-deleted' },
    ],
  });
  expect(await pull()).toMatchObject({ changes: [task(2, 'a', { deleted: true })] });
});

test('a repeat is answered as the first time and takes no effect again', async () => {
  const { push, pull, effects } = await setup();
  const first = await push(addTask('o-1', 'a'), setDone('o-2', 'none'));
  await push(addTask('o-3', 'none'));
  expect(await push(addTask('o-1', 'a'), setDone('o-2', 'none'))).toEqual(first);
  expect(await pull()).toMatchObject({ changes: [task(1, 'a'), task(2, 'none')] });
  expect(await effects()).toEqual({
    operations: [counted('o-1', 2, 1), counted('o-2', 2, 0), counted('o-3', 1, 1)],
  });
});

test('a repeat within one push takes effect once', async () => {
  const { push, effects } = await setup();
  expect(await push(addTask('o-1', 'a'), addTask('o-1', 'a'))).toEqual(accepted('o-1', 'o-1'));
  expect(await effects()).toEqual({ operations: [counted('o-1', 2, 1)] });
});

test('an identity that comes with another payload is rejected and keeps its first answer', async () => {
  const { push, pull, effects } = await setup();
  await push(addTask('o-1', 'a'));
  expect(await push(addTask('o-1', 'a', 'Another title'))).toEqual(rejected('o-1', 'identity-reused'));
  expect(await push(setDone('o-1', 'a'))).toEqual(rejected('o-1', 'identity-reused'));
  expect(await push(addTask('o-1', 'a'))).toEqual(accepted('o-1'));
  expect(await pull()).toMatchObject({ changes: [task(1, 'a')] });
  expect(await effects()).toEqual({ operations: [counted('o-1', 4, 1)] });
});

test('a repeat is known by its content, whatever the order of its keys', async () => {
  const { push, post } = await setup();
  await push(addTask('o-1', 'a', 'Tea'));
  const body =
    '{"operations":[{"payload":{"title":"Tea","taskId":"a","kind":"add-task"},"identity":"o-1"}],"workspace":"w"}';
  expect((await post('/sync/push', body)).body).toEqual(accepted('o-1'));
});

test('workspaces share neither tasks nor identities', async () => {
  const { push, post, pull, send } = await setup();
  await push(addTask('o-1', 'a'));
  const other = await post('/sync/push', {
    workspace: '__proto__',
    operations: [addTask('o-1', 'a', 'Elsewhere')],
  });
  expect(other.body).toEqual(accepted('o-1'));
  expect((await send('/sync/pull?workspace=__proto__')).body).toMatchObject({
    changes: [task(1, 'a', { title: 'Elsewhere' })],
  });
  expect(await pull()).toMatchObject({ changes: [task(1, 'a')] });
});

test('a push of no operations has no results', async () => {
  const { push, effects } = await setup();
  expect(await push()).toEqual({ results: [] });
  expect(await effects()).toEqual({ operations: [] });
});

test('the effects of an unknown workspace are empty', async () => {
  const { effects } = await setup();
  expect(await effects()).toEqual({ operations: [] });
});

test('a cursor from other data is answered 409 and not with an empty page', async () => {
  const { push, send } = await setup();
  await push(addTask('o-1', 'a'));
  const { status, body } = await send(`/sync/pull?workspace=w${since(7)}`);
  expect(status).toBe(409);
  expect(body).toMatchObject({ error: { code: 'CURSOR_AHEAD' } });
});

test('without dedupe a repeated add makes another task under a suffix id', async () => {
  const { push, pull, effects } = await setup({ dedupe: false });
  for (let arrival = 0; arrival < 3; arrival += 1)
    expect(await push(addTask('o-1', 'a', 'Tea'))).toEqual(accepted('o-1'));
  expect(await pull()).toMatchObject({
    changes: [
      task(1, 'a', { title: 'Tea' }),
      task(2, 'a~2', { title: 'Tea' }),
      task(3, 'a~3', { title: 'Tea' }),
    ],
  });
  expect(await effects()).toEqual({ operations: [counted('o-1', 3, 3)] });
});

test('without dedupe a repeated change counts as another effect', async () => {
  const { push, effects } = await setup({ dedupe: false });
  const operations = [addTask('o-1', 'a'), setDone('o-2', 'a'), deleteTask('o-3', 'a')];
  await push(...operations);
  await push(deleteTask('o-3', 'a'));
  expect(await effects()).toEqual({
    operations: [counted('o-1', 1, 1), counted('o-2', 1, 1), counted('o-3', 2, 2)],
  });
});

test('without dedupe an add under another identity still conflicts', async () => {
  const { push } = await setup({ dedupe: false });
  await push(addTask('o-1', 'a'));
  expect(await push(addTask('o-2', 'a'))).toEqual(rejected('o-2', 'task-exists'));
  expect(await push(addTask('o-2', 'a'))).toEqual(rejected('o-2', 'task-exists'));
});

test('without dedupe another payload under an identity is still rejected', async () => {
  const { push } = await setup({ dedupe: false });
  await push(addTask('o-1', 'a'));
  expect(await push(deleteTask('o-1', 'a'))).toEqual(rejected('o-1', 'identity-reused'));
});
