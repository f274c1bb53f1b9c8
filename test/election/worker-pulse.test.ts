import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WorkerPulse } from '../../src/election/worker-pulse';
import { BrowserPlatform } from '../../src/platform/browser-platform';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A worker that answers each ping while `isWell`, on a clock whose jumps the ticks do not see. */
function setup() {
  const state = { isWell: true, stuck: 0, pings: 0, sleptMs: 0 };
  class Sleeper extends BrowserPlatform {
    override monotonicMs(): number {
      return super.monotonicMs() + state.sleptMs;
    }
  }
  const pulse: WorkerPulse = new WorkerPulse({
    platform: new Sleeper(),
    ping: () => {
      state.pings += 1;
      if (state.isWell) pulse.hear();
    },
    onStuck: () => (state.stuck += 1),
  });
  return { state, pulse };
}

describe('the pulse of a worker', () => {
  test('one that answers is never stuck', async () => {
    const { state, pulse } = setup();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(state).toMatchObject({ stuck: 0, pings: 120 });
    pulse.stop();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(state.pings).toBe(120);
  });

  test('one that says nothing for ten seconds is, once', async () => {
    const { state } = setup();
    state.isWell = false;
    await vi.advanceTimersByTimeAsync(9_999);
    expect(state.stuck).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(state.stuck).toBe(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(state.stuck).toBe(1);
  });

  test('an hour of sleep makes nobody stuck: the worker slept as well, and has some ticks to say so', async () => {
    const { state } = setup();
    await vi.advanceTimersByTimeAsync(5_000);
    state.isWell = false;
    state.sleptMs = 3_600_000;
    await vi.advanceTimersByTimeAsync(2_000);
    state.isWell = true;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(state.stuck).toBe(0);
  });
});
