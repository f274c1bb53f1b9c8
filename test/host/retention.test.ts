import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { browserPlatform } from '../../src/platform/browser-platform';
import { Retention } from '../../worker/host/retention';
import { setup } from '../gateway/setup';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A retention whose slices delete what the test says; `slices` counts them. */
async function setupRetention(receipts: number[]) {
  const { context, close } = await setup();
  const slices = { count: 0, failing: false };
  const retention = new Retention({
    platform: browserPlatform,
    context: {
      stores: context.stores,
      marks: context.marks,
      receipts: Object.assign(context.receipts, { prune: () => receipts.shift() ?? 0 }),
    },
    run: async (work) => {
      slices.count += 1;
      if (slices.failing) throw new Error('disk full');
      return work();
    },
  });
  return { retention, slices, close };
}

describe('retention', () => {
  test('looks once a minute while there is nothing to delete', async () => {
    const { retention, slices, close } = await setupRetention([]);
    await vi.advanceTimersByTimeAsync(59_999);
    expect(slices.count).toBe(0);
    await vi.advanceTimersByTimeAsync(60_001);
    expect(slices.count).toBe(2);
    retention.stop();
    close();
  });

  test('follows a full slice up within a second', async () => {
    const { retention, slices, close } = await setupRetention([250, 250, 10]);
    await vi.advanceTimersByTimeAsync(62_000);
    expect(slices.count).toBe(3);
    retention.stop();
    close();
  });

  test('a slice that fails is tried again after a rest', async () => {
    const { retention, slices, close } = await setupRetention([]);
    slices.failing = true;
    await vi.advanceTimersByTimeAsync(120_000);
    expect(slices.count).toBe(2);
    retention.stop();
    close();
  });

  test('after stop nothing is planned any more', async () => {
    const { retention, close } = await setupRetention([]);
    retention.stop();
    expect(vi.getTimerCount()).toBe(0);
    close();
  });

  test('a receipt past its seven days is deleted, a younger one stays', async () => {
    const { context, time, send, openWorkspace, close } = await setup();
    vi.useRealTimers();
    await openWorkspace();
    const add = (id: string) =>
      ['app.mutate', { handler: 'addNote', input: { id, text: id }, workspaceId: 'w-1' }] as const;
    await send([add('old')], { callIds: ['call-old'] });
    time.nowMs += 7 * 86_400_000 + 1;
    await send([add('new')], { callIds: ['call-new'] });
    expect(context.receipts.prune(250)).toBe(1);
    expect(context.receipts.find('call-old')).toBeUndefined();
    expect(context.receipts.find('call-new')).toEqual({ value: { id: 'new', run: 2 } });
    close();
  });
});
