import { request } from 'node:http';
import { expect, test } from 'vitest';
import { accepted, addTask, setup } from './setup';

const push = (operation: unknown): unknown => ({ workspace: 'w', operations: [operation] });
const payload = (value: unknown): unknown => push({ identity: 'o-1', payload: value });
const ADD = { kind: 'add-task', taskId: 'a', title: 'Tea' };

test.each<[path: string, what: string, body: unknown]>([
  ['', 'cut off', '{"workspace":'],
  ['', 'empty', ''],
  ['', 'an array', []],
  ['', 'null', null],
  ['workspace', 'missing', { operations: [] }],
  ['workspace', 'empty', { workspace: '', operations: [] }],
  ['workspace', 'too long', { workspace: 'x'.repeat(201), operations: [] }],
  ['operations', 'missing', { workspace: 'w' }],
  ['operations', 'an object', { workspace: 'w', operations: {} }],
  ['operations', 'too many', { workspace: 'w', operations: Array.from({ length: 5_001 }, () => 0) }],
  ['extra', 'unknown', { workspace: 'w', operations: [], extra: 1 }],
  ['__proto__', 'there', '{"workspace":"w","operations":[],"__proto__":{}}'],
  ['operations[0]', 'null', push(null)],
  ['operations[0].identity', 'missing', push({ payload: ADD })],
  ['operations[0].identity', 'a number', push({ identity: 7, payload: ADD })],
  ['operations[0].at', 'unknown', push({ identity: 'o-1', payload: ADD, at: 1 })],
  ['operations[0].payload', 'missing', payload(undefined)],
  ['operations[0].payload.kind', 'missing', payload({ taskId: 'a' })],
  ['operations[0].payload.kind', 'unknown', payload({ ...ADD, kind: 'rename-task' })],
  ['operations[0].payload.taskId', 'empty', payload({ ...ADD, taskId: '' })],
  ['operations[0].payload.title', 'missing', payload({ kind: 'add-task', taskId: 'a' })],
  ['operations[0].payload.title', 'too long', payload({ ...ADD, title: 'x'.repeat(2_001) })],
  ['operations[0].payload.done', 'of another kind', payload({ ...ADD, done: true })],
  ['operations[0].payload.done', 'a string', payload({ kind: 'set-done', taskId: 'a', done: 'yes' })],
  [
    'operations[0].payload.title',
    'of another kind',
    payload({ kind: 'delete-task', taskId: 'a', title: 'Tea' }),
  ],
])('a push whose "%s" is %s is answered 400 with that path', async (path, _, body) => {
  const { post, effects } = await setup();
  const answer = await post('/sync/push', body);
  expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_INPUT', path } } });
  expect(await effects()).toEqual({ operations: [] });
});

test('one wrong operation leaves its whole push undone', async () => {
  const { post, effects } = await setup();
  const operations = [addTask('o-1', 'a'), { identity: 'o-2', payload: {} }];
  const answer = await post('/sync/push', { workspace: 'w', operations });
  expect(answer).toMatchObject({ status: 400, body: { error: { path: 'operations[1].payload.kind' } } });
  expect(await effects()).toEqual({ operations: [] });
});

test('the message says where, what and what was wanted', async () => {
  const { post } = await setup();
  expect((await post('/sync/faults', { next: 'explode' })).body).toEqual({
    error: {
      code: 'INVALID_INPUT',
      message: 'next is "explode", wanted one of lose, delay, duplicate, reject',
      path: 'next',
    },
  });
});

test.each([
  ['workspace', ''],
  ['workspace', '?workspace='],
  ['workspace', '?workspace=w&workspace=v'],
  ['sinse', '?workspace=w&sinse=1'],
  ['since', '?workspace=w&since='],
  ['since', '?workspace=w&since=7'],
  ['since', '?workspace=w&since={"seq":'],
  ['since.seq', '?workspace=w&since={}'],
  ['since.seq', '?workspace=w&since={"seq":-1}'],
  ['since.seq', '?workspace=w&since={"seq":0.5}'],
  ['since.at', '?workspace=w&since={"seq":0,"at":1}'],
  ['limit', '?workspace=w&limit=0'],
  ['limit', '?workspace=w&limit=100001'],
  ['limit', '?workspace=w&limit=ten'],
  ['limit', '?workspace=w&limit='],
])('a pull that is wrong at "%s" is answered 400 with that path: %s', async (path, query) => {
  const { send } = await setup();
  const answer = await send(`/sync/pull${query}`);
  expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_INPUT', path } } });
});

test('effects without a workspace are answered 400', async () => {
  const { send } = await setup();
  expect(await send('/sync/effects')).toMatchObject({ status: 400, body: { error: { path: 'workspace' } } });
});

test.each<[path: string, body: unknown]>([
  ['next', {}],
  ['next', { next: 'explode' }],
  ['on', { next: 'lose', on: 'effects' }],
  ['count', { next: 'lose', count: 0 }],
  ['count', { next: 'lose', count: 1.5 }],
  ['delayMs', { next: 'delay', delayMs: -1 }],
  ['delayMs', { next: 'delay', delayMs: 600_001 }],
  ['delayMs', { next: 'lose', delayMs: 5 }],
  ['after', { next: 'lose', after: 1 }],
])('a fault that is wrong at "%s" is answered 400 and arms nothing: %j', async (path, body) => {
  const { post, armed } = await setup();
  const answer = await post('/sync/faults', body);
  expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_INPUT', path } } });
  expect(await armed()).toEqual({ armed: [] });
});

test('a body of 1 MiB is read and one byte more is answered 413', async () => {
  const { post } = await setup();
  const text = JSON.stringify({ workspace: 'w', operations: [addTask('o-1', 'a')] });
  const fits = await post('/sync/push', text.padEnd(1024 * 1024));
  expect(fits.body).toEqual(accepted('o-1'));
  const over = await post('/sync/push', text.padEnd(1024 * 1024 + 1));
  expect(over).toMatchObject({ status: 413, body: { error: { code: 'BODY_TOO_LARGE' } } });
});

test('a body far over the limit is not read to its end', async () => {
  const { post, pull } = await setup();
  await expect(post('/sync/push', ' '.repeat(40 * 1024 * 1024))).rejects.toThrow();
  expect(await pull()).toMatchObject({ changes: [] });
});

test('a body that is no UTF-8 is answered 400', async () => {
  const { send } = await setup();
  const answer = await send('/sync/push', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: new Uint8Array([0x22, 0xff, 0x22]),
  });
  expect(answer).toMatchObject({ status: 400, body: { error: { path: '' } } });
});

test('a body that is not declared as JSON is answered 415', async () => {
  const { send, effects } = await setup();
  const body = JSON.stringify({ workspace: 'w', operations: [addTask('o-1', 'a')] });
  const answer = await send('/sync/push', { method: 'POST', body });
  expect(answer).toMatchObject({ status: 415, body: { error: { code: 'UNSUPPORTED_MEDIA_TYPE' } } });
  expect(await effects()).toEqual({ operations: [] });
});

test('a client that leaves in the middle of its body changes nothing', async () => {
  const { server, effects } = await setup();
  const half = request(`${server.url}/sync/push`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': '100' },
  });
  half.on('error', () => {});
  await new Promise<void>((resolve) => half.write('{"workspace"', () => resolve()));
  half.destroy();
  await new Promise((resolve) => half.once('close', resolve));
  expect(await effects()).toEqual({ operations: [] });
});

test.each(['/', '/sync', '/sync/pull/', '/sync/constructor'])(
  'the unknown route %s is answered 404',
  async (path) => {
    const { send } = await setup();
    expect(await send(path)).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
  },
);

test.each([
  ['POST', '/sync/pull', 'GET, OPTIONS'],
  ['GET', '/sync/push', 'POST, OPTIONS'],
  ['DELETE', '/sync/effects', 'GET, OPTIONS'],
  ['PUT', '/sync/faults', 'GET, POST, DELETE, OPTIONS'],
])('%s %s is answered 405 with what is allowed', async (method, path, allow) => {
  const { send } = await setup();
  const answer = await send(path, { method });
  expect(answer).toMatchObject({ status: 405, body: { error: { code: 'METHOD_NOT_ALLOWED' } } });
  expect(answer.headers.get('allow')).toBe(allow);
});
