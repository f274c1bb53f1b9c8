import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runRequest } from '../../src/client/gateway/run-request';
import { browserPlatform } from '../../src/platform/browser-platform';
import { UpstreamRejected } from '../../src/client/gateway/upstream-rejected';

const never = (): Promise<never> => new Promise(() => undefined);
const bounds = (signal?: AbortSignal) => ({ platform: browserPlatform, timeoutMs: 1_000, signal });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  expect(vi.getTimerCount(), 'a timer was left').toBe(0);
  vi.useRealTimers();
});

describe('a request', () => {
  test('that returns is answered', async () => {
    expect(await runRequest(() => Promise.resolve(7), bounds())).toEqual({ kind: 'answered', answer: 7 });
  });

  test('that throws UpstreamRejected is rejected', async () => {
    const error = new UpstreamRejected('403');
    expect(await runRequest(() => Promise.reject(error), bounds())).toEqual({ kind: 'rejected', error });
  });

  test('that throws anything else is unknown, with that error', async () => {
    const error = new TypeError('Failed to fetch');
    expect(await runRequest(() => Promise.reject(error), bounds())).toEqual({ kind: 'unknown', error });
  });

  test('that throws at once, before its first await, is unknown too', async () => {
    const error = new TypeError('early');
    const request = (): Promise<never> => {
      throw error;
    };
    expect(await runRequest(request, bounds())).toEqual({ kind: 'unknown', error });
  });

  test('that heeds no signal ends at its timeout all the same', async () => {
    const ending = runRequest(never, bounds());
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await ending).toMatchObject({
      kind: 'unknown',
      error: { code: 'DEADLINE_EXCEEDED', details: { timeoutMs: 1_000 } },
    });
  });

  test('that is aborted under way is unknown, with the caller’s reason as the cause', async () => {
    const controller = new AbortController();
    const ending = runRequest(never, bounds(controller.signal));
    controller.abort(new Error('gone'));
    expect(await ending).toMatchObject({
      kind: 'unknown',
      error: { code: 'ABORTED', cause: { message: 'gone' } },
    });
  });

  test('whose caller had aborted before is not made', async () => {
    const request = vi.fn<() => Promise<never>>(never);
    const end = await runRequest(request, bounds(AbortSignal.abort()));
    expect(end).toMatchObject({
      kind: 'not-started',
      error: { code: 'ABORTED', details: { outcome: 'not-executed' } },
    });
    expect(request).not.toHaveBeenCalled();
  });

  test('that says rejected because its signal fired is unknown: it had gone out', async () => {
    const request = (signal: AbortSignal): Promise<never> =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new UpstreamRejected('stopped')));
      });
    const ending = runRequest(request, bounds());
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await ending).kind).toBe('unknown');
  });

  test('is given a signal that fires at the timeout', async () => {
    let given: AbortSignal | undefined;
    const ending = runRequest((signal) => {
      given = signal;
      return never();
    }, bounds());
    expect(given?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    await ending;
    expect(given?.aborted).toBe(true);
  });
});
