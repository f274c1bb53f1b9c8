/** What does not go well, in WebKit: each wait ends, and each failure has its code. */
import { expect, test } from 'vitest';
import { freshDatabase, mustBeOk, readOrder, useWebkit } from './support/use-webkit';

const webkit = useWebkit();

test('behind a busy writer, calls end at their deadline and at their signal, and have no effect', async () => {
  const db = freshDatabase();
  await webkit.join(db);
  const follower = await webkit.join(db);
  const [late, givenUp] = await Promise.all([
    follower.call('mutate', 'append', 'late', 0, { behindMs: 1_500, timeoutMs: 300 }),
    follower.call('mutate', 'append', 'given up', 0, { abortAfterMs: 200 }),
  ]);
  expect(late).toMatchObject({ ok: false, code: 'DEADLINE_EXCEEDED', details: { call: 'app.mutate' } });
  expect(givenUp).toMatchObject({ ok: false, code: 'ABORTED' });
  mustBeOk(await follower.call('mutate', 'append', 'a', 0));
  expect(await readOrder(follower)).toBe('a0');
});

test('with no writer at all, calls end at their deadline, at their signal and with their client', async () => {
  const db = freshDatabase();
  const tab = await webkit.join(db);
  const other = await webkit.join(db);
  const keeper = await webkit.open();
  const granted = keeper.call('takePlace', db);
  await Promise.all([tab.terminateWorkers(), other.terminateWorkers()]);
  await granted;
  expect(await tab.call('query', 'count', { timeoutMs: 500 })).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  const aborted = await tab.call('mutate', 'append', 'given up', 0, { abortAfterMs: 100 });
  expect(aborted).toMatchObject({ code: 'ABORTED' });
  const closing = other.call('mutate', 'append', 'closed', 0);
  await other.call('close');
  expect(await closing).toMatchObject({ code: 'CLIENT_CLOSED' });
  await keeper.call('leavePlace');
  await tab.call('waitForRole', 'writer');
});

test('a connect that nobody serves names who holds the writer’s place', async () => {
  const db = freshDatabase();
  const keeper = await webkit.open();
  await keeper.call('takePlace', db);
  const tab = await webkit.open();
  expect(await tab.call('join', db, { storage: 'memory', startTimeoutMs: 4_000 })).toMatchObject({
    ok: false,
    code: 'WRITER_UNRESPONSIVE',
    details: { stage: 'waiting', timeoutMs: 4_000, holder: { clientId: expect.any(String) } },
  });
  await keeper.call('leavePlace');
  mustBeOk(await tab.call('join', db, { storage: 'memory' }));
});

test('a worker script that is a 404 or throws, and a WASM that is a 404, are WORKER_LOAD_FAILED with the URL', async () => {
  const db = freshDatabase();
  const tab = await webkit.open();
  const join = (options: object) => tab.call('join', db, { storage: 'memory', ...options });
  expect(await join({ script: '/there-is-none.js' })).toMatchObject({
    ok: false,
    code: 'WORKER_LOAD_FAILED',
    details: { url: expect.stringMatching(/there-is-none\.js$/) },
  });
  expect(await join({ faults: 'noWasm' })).toMatchObject({
    ok: false,
    code: 'WORKER_LOAD_FAILED',
    details: { url: expect.stringMatching(/not-deployed\.wasm$/) },
  });
  expect(await tab.call('joinWithScript', db, 'throw new Error("at top level");')).toMatchObject({
    ok: false,
    code: 'WORKER_LOAD_FAILED',
    message: expect.stringMatching(/at top level/),
    details: { url: expect.stringMatching(/^blob:/) },
  });
});

/**
 * Here WebKit differs: where a module waits at its top level, an error after that is told to nobody, neither to the
 * worker's own handlers nor to the page. Chromium reports it like any other. So the start ends by its time.
 */
test('a worker script that throws after a top-level await is START_TIMEOUT at its stage', async () => {
  const tab = await webkit.open();
  const script = 'await 0; throw new Error("after a wait");';
  const outcome = await tab.call('joinWithScript', freshDatabase(), script, { startTimeoutMs: 1_500 });
  expect(outcome).toMatchObject({ ok: false, code: 'START_TIMEOUT', details: { stage: 'loading' } });
});

test('a worker file of another protocol is PROTOCOL_MISMATCH, and a tab of one is refused by the writer', async () => {
  const db = freshDatabase();
  const tab = await webkit.join(db);
  const stranger = await webkit.open();
  expect(await stranger.call('joinWithOtherProtocol', freshDatabase())).toMatchObject({
    ok: false,
    code: 'PROTOCOL_MISMATCH',
    details: { expected: expect.any(Number), actual: expect.any(Number) },
  });
  expect(await stranger.call('greetAsOther', db)).toMatchObject({ kind: 'refuse' });
  mustBeOk(await tab.call('mutate', 'append', 'a', 0));
});

/** Safari has OPFS; WebKitGTK as packaged has not. */
test('without OPFS a database on disk is UNSUPPORTED_ENVIRONMENT, and nothing falls back to memory by itself', async () => {
  const tab = await webkit.open();
  expect(await tab.call('join', freshDatabase(), { storage: 'opfs' })).toMatchObject({
    ok: false,
    code: 'UNSUPPORTED_ENVIRONMENT',
    details: { missing: 'OPFS' },
  });
});
