import { expect, test, vi } from 'vitest';
import { accepted, addTask, counted, rejected, setDone, setup, task } from './setup';

const ARMED_NOTHING = { armed: [] };

test('lose takes the push and cuts the connection, and a repeat gets the answer that was lost', async () => {
  const { arm, push, effects, armed } = await setup();
  await arm({ next: 'lose' });
  await expect(push(addTask('o-1', 'a'))).rejects.toThrow();
  expect(await armed()).toEqual(ARMED_NOTHING);
  expect(await effects()).toEqual({ operations: [counted('o-1', 1, 1)] });
  expect(await push(addTask('o-1', 'a'))).toEqual(accepted('o-1'));
  expect(await effects()).toEqual({ operations: [counted('o-1', 2, 1)] });
});

test('what a lost answer was about survives a restart', async () => {
  const first = await setup();
  await first.arm({ next: 'lose' });
  await expect(first.push(addTask('o-1', 'a'))).rejects.toThrow();
  await first.server.close();
  const second = await setup({ journalPath: first.journalPath });
  expect(await second.effects()).toEqual({ operations: [counted('o-1', 1, 1)] });
  expect(await second.armed()).toEqual(ARMED_NOTHING);
});

test('a lost pull is not answered', async () => {
  const { arm, pull } = await setup();
  await arm({ next: 'lose', on: 'pull' });
  await expect(pull()).rejects.toThrow();
  expect(await pull()).toMatchObject({ changes: [] });
});

test('delay answers after its time', async () => {
  const { arm, push } = await setup();
  await arm({ next: 'delay', delayMs: 60 });
  const startedAtMs = performance.now();
  expect(await push(addTask('o-1', 'a'))).toEqual(accepted('o-1'));
  // A timer may fire a millisecond early by this clock.
  expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(59);
});

test('a delayed push takes effect at once, and closing the server ends the wait', async () => {
  const { arm, push, pull, effects, server } = await setup();
  await arm({ next: 'delay', delayMs: 600_000 });
  const delayed = expect(push(addTask('o-1', 'a'))).rejects.toThrow();
  await vi.waitFor(async () => expect(await effects()).toEqual({ operations: [counted('o-1', 1, 1)] }));
  expect(await pull()).toMatchObject({ changes: [task(1, 'a')] });
  await server.close();
  await delayed;
});

test('duplicate handles a push twice and answers once', async () => {
  const { arm, push, effects } = await setup();
  await arm({ next: 'duplicate' });
  expect(await push(addTask('o-1', 'a'))).toEqual(accepted('o-1'));
  expect(await effects()).toEqual({ operations: [counted('o-1', 2, 1)] });
});

test('duplicate without dedupe makes the double visible', async () => {
  const { arm, push, pull, effects } = await setup({ dedupe: false });
  await arm({ next: 'duplicate' });
  await push(addTask('o-1', 'a', 'Tea'));
  expect(await pull()).toMatchObject({
    changes: [task(1, 'a', { title: 'Tea' }), task(2, 'a~2', { title: 'Tea' })],
  });
  expect(await effects()).toEqual({ operations: [counted('o-1', 2, 2)] });
});

test('reject rejects every new operation of a push without effect, and repeats hear the same', async () => {
  const { arm, push, pull, effects } = await setup();
  await arm({ next: 'reject' });
  expect(await push(addTask('o-1', 'a'), setDone('o-2', 'a'))).toEqual({
    results: [
      { identity: 'o-1', disposition: 'rejected', reason: 'fault' },
      { identity: 'o-2', disposition: 'rejected', reason: 'fault' },
    ],
  });
  expect(await push(addTask('o-1', 'a'))).toEqual(rejected('o-1', 'fault'));
  expect(await pull()).toMatchObject({ changes: [] });
  expect(await effects()).toEqual({ operations: [counted('o-1', 2, 0), counted('o-2', 1, 0)] });
});

test('reject does not take back what was accepted', async () => {
  const { arm, push } = await setup();
  await push(addTask('o-1', 'a'));
  await arm({ next: 'reject' });
  expect(await push(addTask('o-1', 'a'))).toEqual(accepted('o-1'));
});

test('reject answers a pull with 403', async () => {
  const { arm, send } = await setup();
  await arm({ next: 'reject' });
  const { status, body } = await send('/sync/pull?workspace=w');
  expect(status).toBe(403);
  expect(body).toMatchObject({ error: { code: 'FAULT_REJECTED' } });
});

test('a fault for pushes waits for a push, and one for any takes what comes first', async () => {
  const { arm, armed, push, pull } = await setup();
  await arm({ next: 'reject', on: 'push' });
  expect(await pull()).toMatchObject({ changes: [] });
  expect(await armed()).toEqual({ armed: [{ next: 'reject', on: 'push', count: 1, delayMs: 0 }] });
  expect(await push(addTask('o-1', 'a'))).toEqual(rejected('o-1', 'fault'));
  await arm({ next: 'lose' });
  await expect(pull()).rejects.toThrow();
  expect(await push(addTask('o-2', 'a'))).toEqual(accepted('o-2'));
});

test('a count is used up one request at a time, the oldest fault first', async () => {
  const { arm, armed, push } = await setup();
  await arm({ next: 'reject', count: 2 });
  const both = await arm({ next: 'delay', delayMs: 1, on: 'push' });
  expect(both.body).toEqual({
    armed: [
      { next: 'reject', on: 'any', count: 2, delayMs: 0 },
      { next: 'delay', on: 'push', count: 1, delayMs: 1 },
    ],
  });
  expect(await push(addTask('o-1', 'a'))).toEqual(rejected('o-1', 'fault'));
  expect(await armed()).toMatchObject({ armed: [{ next: 'reject', count: 1 }, { next: 'delay' }] });
  expect(await push(addTask('o-2', 'a'))).toEqual(rejected('o-2', 'fault'));
  expect(await push(addTask('o-3', 'a'))).toEqual(accepted('o-3'));
  expect(await armed()).toEqual(ARMED_NOTHING);
});

test('DELETE disarms everything', async () => {
  const { arm, armed, send, push } = await setup();
  await arm({ next: 'lose', count: 1_000 });
  expect((await send('/sync/faults', { method: 'DELETE' })).body).toEqual(ARMED_NOTHING);
  expect(await armed()).toEqual(ARMED_NOTHING);
  expect(await push(addTask('o-1', 'a'))).toEqual(accepted('o-1'));
});

test('a request that is bad input, and one for effects, use up no fault', async () => {
  const { arm, armed, effects, post, send } = await setup();
  await arm({ next: 'lose' });
  expect((await post('/sync/push', {})).status).toBe(400);
  expect((await send('/sync/pull')).status).toBe(400);
  await effects();
  expect(await armed()).toMatchObject({ armed: [{ next: 'lose', count: 1 }] });
});
