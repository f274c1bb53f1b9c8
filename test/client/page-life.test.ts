/** Pulls and pushes of a page that is hidden and shown in the middle of them. */
import { describe, expect, test } from 'vitest';
import type { CallLayer } from '../../src/client/call-layer';
import type { GatewayContext } from '../../src/client/gateway/gateway-context';
import { pull } from '../../src/client/gateway/pull';
import { push } from '../../src/client/gateway/push';
import { makeDeferred } from '../../src/domain/deferred';
import { browserPlatform } from '../../src/platform/browser-platform';

/** A client whose calls the test answers, and whose session it ends. */
function setup() {
  const calls: string[] = [];
  const pending = new Map<string, ReturnType<typeof makeDeferred<unknown>>>();
  const lock = { isHeld: false };
  let sessions = 1;
  let end = new AbortController();
  const context: GatewayContext = {
    platform: Object.create(browserPlatform, {
      locks: {
        value: {
          request: async (_name: string, _options: LockOptions, callback: (lock: unknown) => unknown) => {
            lock.isHeld = true;
            try {
              return await callback({});
            } finally {
              lock.isHeld = false;
            }
          },
        },
      },
    }),
    calls: {
      invoke: (call: string) => {
        calls.push(call);
        const deferred = makeDeferred<unknown>();
        pending.set(call, deferred);
        return deferred.promise;
      },
    } as unknown as CallLayer, // all that is used of it
    db: 'notes',
    mustGetWorkspaceId: () => 'w-1',
    getSession: () => ({
      ended: end.signal,
      sessionId: `s-${String(sessions)}`,
      isClosed: () => false,
      isOutdated: () => false,
    }),
  };
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  const answer = async (call: string, value: unknown): Promise<void> => {
    pending.get(call)?.resolve(value);
    await settled();
  };
  const fail = async (call: string, error: unknown): Promise<void> => {
    pending.get(call)?.reject(error);
    await settled();
  };
  const hide = async (): Promise<void> => {
    end.abort();
    await settled();
  };
  const show = (): void => {
    end = new AbortController();
    sessions += 1;
  };
  const requests: boolean[] = [];
  const pulling = () =>
    pull(context, {
      apply: 'notes',
      request: ({ signal }) => {
        requests.push(signal.aborted);
        return new Promise<never>(() => undefined);
      },
    });
  const pushing = (operations = [{ identity: 'o-1', payload: {} }]) =>
    push(context, {
      operations,
      request: ({ signal }) => {
        requests.push(signal.aborted);
        return new Promise<never>(() => undefined);
      },
    });
  const permit = (holderId: string) => ({
    permitId: 'p-1',
    lastCommittedCursor: null,
    holderId,
    operationIdentity: 'o-1',
  });
  return { calls, lock, answer, fail, hide, show, pulling, pushing, permit, requests, settled };
}

describe('a pull', () => {
  test('that was begun for a session that is over sends nothing', async () => {
    const { pulling, answer, hide, show, permit, calls, requests, settled } = setup();
    const result = pulling().catch((error: unknown) => error);
    await settled();
    await hide();
    show();
    await answer('gateway.beginPull', permit('s-1'));
    expect(await result).toMatchObject({ code: 'ABORTED', details: { outcome: 'not-executed' } });
    expect(calls).toEqual(['gateway.beginPull']);
    expect(requests).toEqual([]);
  });

  test('that was begun for the session after goes on under that', async () => {
    const { pulling, answer, hide, show, permit, requests, settled } = setup();
    void pulling();
    await settled();
    await hide();
    show();
    await answer('gateway.beginPull', permit('s-2'));
    await answer('gateway.startRequest', null);
    expect(requests, 'its signal has not fired').toEqual([false]);
  });

  test('whose page is hidden before its request goes out makes none', async () => {
    const { pulling, answer, hide, permit, requests, settled } = setup();
    const result = pulling().catch((error: unknown) => error);
    await settled();
    await answer('gateway.beginPull', permit('s-1'));
    await hide();
    await answer('gateway.startRequest', null);
    expect(await result).toMatchObject({ code: 'ABORTED', details: { outcome: 'not-executed' } });
    expect(requests).toEqual([]);
  });

  test('lets the others have their turn as soon as its page is hidden', async () => {
    const { pulling, lock, hide, settled } = setup();
    void pulling();
    await settled();
    expect(lock.isHeld).toBe(true);
    await hide();
    expect(lock.isHeld).toBe(false);
  });
});

describe('a push', () => {
  test('that was begun for a session that is over sends nothing', async () => {
    const { pushing, answer, hide, show, permit, requests, settled } = setup();
    const result = pushing().catch((error: unknown) => error);
    await settled();
    await hide();
    show();
    await answer('gateway.beginPush', [
      { operationIdentity: 'o-1', status: 'granted', permit: permit('s-1') },
    ]);
    expect(await result).toMatchObject({ code: 'ABORTED', details: { outcome: 'not-executed' } });
    expect(requests).toEqual([]);
  });

  test('that fails at its beginning gives each permit up by itself: some were perhaps never issued', async () => {
    const { pushing, calls, fail, settled } = setup();
    const result = pushing(['o-1', 'o-2'].map((identity) => ({ identity, payload: {} }))).catch(
      (error: unknown) => error,
    );
    await settled();
    const error = new Error('no');
    await fail('gateway.beginPush', error);
    expect(await result).toBe(error);
    expect(calls).toEqual(['gateway.beginPush', 'gateway.abandon', 'gateway.abandon']);
  });

  test('is not called busy where its own earlier session was the one that had it', async () => {
    const { pushing, answer, hide, show, settled } = setup();
    const result = pushing().catch((error: unknown) => error);
    await settled();
    await hide();
    show();
    await answer('gateway.beginPush', [{ operationIdentity: 'o-1', status: 'busy', permit: null }]);
    expect(await result).toMatchObject({ code: 'ABORTED', details: { outcome: 'not-executed' } });
  });
});

describe('bad options', () => {
  test.each([
    ['no options', undefined, ''],
    ['a stream with a lone surrogate', { stream: '\ud800' }, 'stream'],
    ['a stream that is a symbol', { stream: Symbol('main') }, 'stream'],
    ['an empty stream', { stream: '' }, 'stream'],
    ['a signal that is none', { signal: {} }, 'signal'],
  ])('%s are INVALID_INPUT and start nothing', async (_name, options, path) => {
    const { calls } = setup();
    const context = {} as GatewayContext; // never looked at
    const given =
      options === undefined
        ? undefined
        : { apply: 'notes', request: () => undefined, operations: [], ...options };
    for (const call of [pull, push] as unknown as ((
      context: unknown,
      options: unknown,
    ) => Promise<unknown>)[]) {
      await expect(call(context, given)).rejects.toMatchObject({ code: 'INVALID_INPUT', details: { path } });
    }
    expect(calls).toEqual([]);
  });
});
