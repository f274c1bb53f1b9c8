import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CallLayer, type CallLayerOptions, type CallLink } from '../../src/client/call-layer';
import { TidelockError } from '../../src/domain/tidelock-error';
import { parseCallId } from '../../src/domain/call-id';
import { browserPlatform } from '../../src/platform/browser-platform';
import type { CallEnvelope, CallReply } from '../../src/protocol/call';
import { encodeError } from '../../src/protocol/error-codec';
import type { CallInput } from '../../src/protocol/surface';
import { DEFAULT_CALL_TIMEOUT_MS, MAX_CALLS_PER_MESSAGE } from '../../src/protocol/limits';

/** A writer whose answers the test gives by hand. */
function setup(options: CallLayerOptions = {}) {
  const layer = new CallLayer(browserPlatform, options);
  const makeLink = () => {
    const messages: {
      envelopes: readonly CallEnvelope[];
      reply: (replies: CallReply[]) => void;
      fail: (error: Error) => void;
    }[] = [];
    const link: CallLink = {
      invoke: (envelopes) => new Promise((reply, fail) => messages.push({ envelopes, reply, fail })),
    };
    return { link, messages };
  };
  const mutate = (options?: { signal?: AbortSignal; timeoutMs?: number }) =>
    layer.invoke('app.mutate', { handler: 'addTask', input: {}, workspaceId: null }, options);
  const query = () => layer.invoke('app.query', { handler: 'tasks', input: {}, workspaceId: null });
  return { layer, makeLink, mutate, query };
}

const flush = async (): Promise<void> => {
  await Promise.resolve();
  await Promise.resolve();
};
const ok = ({ callId }: CallEnvelope, value: unknown = null): CallReply => ({ callId, ok: true, value });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the call layer', () => {
  test('calls of one tick share a message, reads apart from writes', async () => {
    const { layer, makeLink, mutate, query } = setup();
    const { link, messages } = makeLink();
    layer.attach(link);
    const calls = [mutate(), query(), mutate(), query()];
    await flush();
    expect(messages.map(({ envelopes }) => envelopes.map(({ call }) => call))).toEqual([
      ['app.query', 'app.query'],
      ['app.mutate', 'app.mutate'],
    ]);
    messages.forEach(({ envelopes, reply }) => reply(envelopes.map((each) => ok(each, each.call))));
    expect(await Promise.all(calls)).toEqual(['app.mutate', 'app.query', 'app.mutate', 'app.query']);
  });

  test('no message carries more calls than the limit', async () => {
    const { layer, makeLink, query } = setup();
    const { link, messages } = makeLink();
    layer.attach(link);
    const calls = Array.from({ length: MAX_CALLS_PER_MESSAGE + 1 }, () => query());
    await flush();
    expect(messages.map(({ envelopes }) => envelopes.length)).toEqual([MAX_CALLS_PER_MESSAGE, 1]);
    messages.forEach(({ envelopes, reply }) => reply(envelopes.map((each) => ok(each))));
    await Promise.all(calls);
  });

  test('a call made before there is a writer is sent when one comes', async () => {
    const { layer, makeLink, mutate } = setup();
    const call = mutate();
    const { link, messages } = makeLink();
    layer.attach(link);
    await flush();
    messages[0]?.reply(messages[0].envelopes.map((each) => ok(each, 7)));
    expect(await call).toBe(7);
  });

  test('what one writer left unanswered is asked again of the next under the same id, attempt 2', async () => {
    const { layer, makeLink, mutate } = setup();
    const first = makeLink();
    const second = makeLink();
    layer.attach(first.link);
    const call = mutate();
    await flush();
    layer.attach(second.link);
    await flush();
    const [before] = first.messages[0]?.envelopes ?? [];
    const [after] = second.messages[0]?.envelopes ?? [];
    expect(after).toEqual({ ...before, attempt: 2 });
    second.messages[0]?.reply([ok(after as CallEnvelope, 'once')]);
    expect(await call).toBe('once');
  });

  test('only a death that left the call unanswered counts against it', async () => {
    const { layer, makeLink, mutate } = setup();
    const links = [makeLink(), makeLink(), makeLink(), makeLink()] as const;
    const deathsOf = (index: 0 | 1 | 2 | 3) =>
      links[index].messages[0]?.envelopes.map(({ deaths, diedEpoch }) => [deaths, diedEpoch]);
    layer.attach(links[0].link);
    void mutate();
    await flush();
    layer.attach(links[1].link, { diedEpoch: 1 });
    void mutate();
    await flush();
    expect(deathsOf(1), 'one was there, one came later').toEqual([
      [1, 1],
      [0, null],
    ]);
    layer.attach(links[2].link, { diedEpoch: null });
    await flush();
    expect(deathsOf(2), 'the writer left and said so').toEqual([
      [1, 1],
      [0, null],
    ]);
    layer.attach(links[3].link, { diedEpoch: 3 });
    await flush();
    expect(deathsOf(3)).toEqual([
      [2, 3],
      [1, 3],
    ]);
  });

  test('the id says what kind of answer the call leaves, and when it was made', async () => {
    vi.setSystemTime(1_700_000_000_000);
    const { layer, makeLink, mutate, query } = setup();
    const { link, messages } = makeLink();
    layer.attach(link);
    void mutate();
    void query();
    void layer.invoke('permits.issue', {} as CallInput<'permits.issue'>);
    await flush();
    const ids = messages.flatMap(({ envelopes }) => envelopes.map(({ callId }) => parseCallId(callId)));
    const madeAt = 1_700_000_000_000;
    expect(ids).toEqual([
      { kind: 'read', madeAt },
      { kind: 'receipt', madeAt },
      { kind: 'row', madeAt },
    ]);
  });

  test('a writer that answers not even a ping for two seconds is silent, and named when the time is up', async () => {
    const silences: boolean[] = [];
    const holder = { sessionId: 's-1', clientId: null };
    const { layer, makeLink, mutate } = setup({
      onSilence: (isSilent) => silences.push(isSilent),
      explain: () => ({ holder: layer.isWriterSilent ? holder : null, cause: undefined }),
    });
    const { link, messages } = makeLink();
    layer.attach(link);
    const ended = expect(mutate({ timeoutMs: 5_000 })).rejects.toMatchObject({
      code: 'WRITER_UNRESPONSIVE',
      details: { holder, outcome: 'unknown', call: 'app.mutate' },
    });
    await vi.advanceTimersByTimeAsync(1_999);
    expect(silences).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(silences).toEqual([true]);
    await vi.advanceTimersByTimeAsync(3_000);
    await ended;
    const ping = messages.find(({ envelopes }) => envelopes[0]?.call === 'calls.ping');
    ping?.reply(ping.envelopes.map((each) => ok(each)));
    await flush();
    expect(silences, 'it speaks again').toEqual([true, false]);
  });

  test('a writer that answers pings is busy and not silent', async () => {
    const silences: boolean[] = [];
    const { layer, mutate } = setup({ onSilence: (isSilent) => silences.push(isSilent) });
    layer.attach({
      invoke: (envelopes) =>
        envelopes[0]?.call === 'calls.ping'
          ? Promise.resolve(envelopes.map((each) => ok(each)))
          : new Promise(() => undefined),
    });
    const ended = expect(mutate({ timeoutMs: 10_000 })).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    await vi.advanceTimersByTimeAsync(10_000);
    await ended;
    expect(silences).toEqual([]);
  });

  test('after an hour of sleep an answer that waits to be read makes nobody silent', async () => {
    const silences: boolean[] = [];
    const { layer, mutate } = setup({ onSilence: (isSilent) => silences.push(isSilent) });
    layer.attach({ invoke: () => new Promise(() => undefined) });
    void mutate({ timeoutMs: 86_400_000 }).catch(() => undefined);
    await vi.advanceTimersByTimeAsync(1_000);
    vi.spyOn(browserPlatform, 'monotonicMs').mockReturnValue(performance.now() + 3_600_000);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(silences).toEqual([]);
    vi.restoreAllMocks();
    layer.close();
  });

  test('an error of the writer that tells an outcome names the call, so that it can be asked after', async () => {
    const { layer, makeLink, mutate } = setup();
    const { link, messages } = makeLink();
    layer.attach(link);
    const call = mutate();
    await flush();
    const { callId = '' } = messages[0]?.envelopes[0] ?? {};
    const error = new TidelockError('DEADLINE_EXCEEDED', 'late', { details: { outcome: 'not-executed' } });
    messages[0]?.reply([{ callId, ok: false, error: encodeError(error) }]);
    await expect(call).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
      details: { outcome: 'not-executed', callId, call: 'app.mutate' },
    });
  });

  test('what was sent and what was not keep their order when a page returns', async () => {
    const { layer, makeLink, mutate } = setup();
    const first = makeLink();
    const second = makeLink();
    layer.attach(first.link);
    void mutate();
    await flush();
    layer.detach();
    void mutate();
    await flush();
    layer.attach(second.link);
    await flush();
    expect(second.messages[0]?.envelopes.map(({ attempt }) => attempt)).toEqual([2, 1]);
  });

  test.each([
    ['{}', {}],
    ['a text', 'x'],
  ])('a signal that is %s is INVALID_INPUT', async (_name, signal) => {
    const { layer, mutate } = setup();
    await expect(mutate({ signal: signal as AbortSignal })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      details: { path: 'signal' },
    });
    expect(vi.getTimerCount()).toBe(0);
    layer.close();
  });

  test('nobody is pinged while no call waits', async () => {
    const { layer, makeLink, mutate } = setup();
    const { link, messages } = makeLink();
    layer.attach(link);
    const call = mutate();
    await flush();
    messages[0]?.reply(messages[0].envelopes.map((each) => ok(each)));
    await call;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(messages).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('an answer of the former writer that still arrives counts, and the later one is not missed', async () => {
    const { layer, makeLink, mutate } = setup();
    const first = makeLink();
    const second = makeLink();
    layer.attach(first.link);
    const call = mutate();
    await flush();
    layer.attach(second.link);
    await flush();
    first.messages[0]?.reply(first.messages[0].envelopes.map((each) => ok(each, 'first')));
    expect(await call).toBe('first');
    second.messages[0]?.reply(second.messages[0].envelopes.map((each) => ok(each, 'second')));
    await flush();
  });

  test('a call with no writer ends at its deadline and was not executed', async () => {
    const { mutate } = setup();
    const call = mutate({ timeoutMs: 50 });
    const ended = expect(call).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
      details: { outcome: 'not-executed' },
    });
    await vi.advanceTimersByTimeAsync(50);
    await ended;
  });

  test('a write that was sent ends at its deadline with an unknown outcome, its id told, and a cancel is sent', async () => {
    const { layer, makeLink, mutate } = setup();
    const { link, messages } = makeLink();
    layer.attach(link);
    const call = mutate();
    const ended = expect(call).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
      details: { outcome: 'unknown', callId: expect.any(String) as string },
    });
    await vi.advanceTimersByTimeAsync(DEFAULT_CALL_TIMEOUT_MS);
    await ended;
    const cancel = messages
      .flatMap(({ envelopes }) => envelopes)
      .find(({ call: name }) => name === 'calls.cancel');
    expect(cancel).toMatchObject({
      input: { callIds: [messages[0]?.envelopes[0]?.callId] },
    });
  });

  test('a hand-over that was sent and then aborted may have happened', async () => {
    const { layer, makeLink } = setup();
    layer.attach(makeLink().link);
    const controller = new AbortController();
    const ended = expect(
      layer.invoke('writer.handOver', {}, { signal: controller.signal }),
    ).rejects.toMatchObject({ code: 'ABORTED', details: { outcome: 'unknown' } });
    await flush();
    controller.abort();
    await ended;
    layer.close();
  });

  test('a read that was sent ends at its deadline as not executed: it has no effect to know of', async () => {
    const { layer, makeLink, query } = setup();
    layer.attach(makeLink().link);
    const ended = expect(query()).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
      details: { outcome: 'not-executed' },
    });
    await vi.advanceTimersByTimeAsync(DEFAULT_CALL_TIMEOUT_MS);
    await ended;
  });

  test('a signal ends the call at once, with its reason as the cause', async () => {
    const { mutate } = setup();
    const controller = new AbortController();
    const call = mutate({ signal: controller.signal });
    controller.abort(new Error('changed my mind'));
    await expect(call).rejects.toMatchObject({ code: 'ABORTED', cause: { message: 'changed my mind' } });
  });

  test('a signal that has fired already keeps the call from being sent', async () => {
    const { layer, makeLink, mutate } = setup();
    const { link, messages } = makeLink();
    layer.attach(link);
    await expect(mutate({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' });
    await flush();
    expect(messages).toEqual([]);
  });

  test('a call that ended is not sent when a writer comes', async () => {
    const { layer, makeLink, mutate } = setup();
    const controller = new AbortController();
    const call = mutate({ signal: controller.signal });
    controller.abort();
    await expect(call).rejects.toBeInstanceOf(TidelockError);
    const { link, messages } = makeLink();
    layer.attach(link);
    await flush();
    expect(messages).toEqual([]);
  });

  test('close rejects everything pending and everything later, and may be called twice', async () => {
    const { layer, makeLink, mutate, query } = setup();
    layer.attach(makeLink().link);
    const calls = [...Array.from({ length: 9 }, () => mutate()), query()];
    await flush();
    layer.close();
    layer.close();
    const ends = await Promise.allSettled(calls);
    expect(ends.map((end) => end.status === 'rejected' && (end.reason as TidelockError).code)).toEqual(
      Array(10).fill('CLIENT_CLOSED'),
    );
    await expect(mutate()).rejects.toMatchObject({ code: 'CLIENT_CLOSED' });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('what was asked of a database that is lost ends as STORAGE_LOST; what is asked next goes to the next one', async () => {
    const { layer, makeLink, mutate, query } = setup();
    layer.attach(makeLink().link);
    const sent = [mutate(), query()];
    await flush();
    layer.detach();
    const unsent = mutate();
    layer.lose();
    for (const call of sent) await expect(call).rejects.toMatchObject({ code: 'STORAGE_LOST' });
    await expect(sent[0]).rejects.toMatchObject({ details: { outcome: 'unknown' } });
    await expect(unsent).rejects.toMatchObject({
      code: 'STORAGE_LOST',
      details: { outcome: 'not-executed' },
    });
    const { link, messages } = makeLink();
    layer.attach(link);
    const call = mutate();
    await flush();
    expect(messages.flatMap(({ envelopes }) => envelopes)).toHaveLength(1);
    messages[0]?.reply(messages[0].envelopes.map((each) => ok(each, 7)));
    expect(await call).toBe(7);
    layer.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('an error crosses with its code', async () => {
    const { layer, makeLink, mutate } = setup();
    const { link, messages } = makeLink();
    layer.attach(link);
    const call = mutate();
    await flush();
    const callId = messages[0]?.envelopes[0]?.callId ?? '';
    messages[0]?.reply([
      { callId, ok: false, error: encodeError(new TidelockError('WORKSPACE_NONE', 'none')) },
    ]);
    await expect(call).rejects.toMatchObject({ code: 'WORKSPACE_NONE' });
  });

  test('a message that could not be carried ends its calls as unknown', async () => {
    const { layer, makeLink, mutate } = setup();
    const { link, messages } = makeLink();
    layer.attach(link);
    const call = mutate();
    await flush();
    messages[0]?.fail(new TypeError('Unserializable return value'));
    await expect(call).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  });

  test.each([[0], [-1], [NaN], [Infinity], [86_400_001]])('timeoutMs %d is refused', async (timeoutMs) => {
    const { mutate } = setup();
    await expect(mutate({ timeoutMs })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      details: { path: 'timeoutMs' },
    });
  });

  test('an input that is no JSON is refused before anything is sent', async () => {
    const { layer, makeLink } = setup();
    const { link, messages } = makeLink();
    layer.attach(link);
    const input = { at: new Date(0) } as unknown as null; // what a caller without types could pass
    const call = layer.invoke('app.query', { handler: 'tasks', input, workspaceId: null });
    await expect(call).rejects.toMatchObject({ code: 'INVALID_INPUT', details: { path: 'input.at' } });
    await flush();
    expect(messages).toEqual([]);
  });

  test('an input past 8 MiB is refused', async () => {
    const { layer } = setup();
    const call = layer.invoke('app.query', {
      handler: 'tasks',
      input: 'x'.repeat(8 * 1024 * 1024 + 1),
      workspaceId: null,
    });
    await expect(call).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  test('large calls of one tick travel in messages of their own', async () => {
    const { layer, makeLink } = setup();
    const { link, messages } = makeLink();
    layer.attach(link);
    const big = 'x'.repeat(5 * 1024 * 1024);
    const calls = [1, 2].map(() =>
      layer.invoke('app.query', { handler: 'tasks', input: big, workspaceId: null }),
    );
    await flush();
    expect(messages.map(({ envelopes }) => envelopes.length)).toEqual([1, 1]);
    messages.forEach(({ envelopes, reply }) => reply(envelopes.map((each) => ok(each))));
    await Promise.all(calls);
  });
});
