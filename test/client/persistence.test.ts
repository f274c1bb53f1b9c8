/** Asking the browser to keep what is stored, and what the status knows of it. */
import { describe, expect, test } from 'vitest';
import type { SessionEnd } from '../../src/client/gateway/bounds';
import { Persistence } from '../../src/client/persistence';
import { StatusBoard } from '../../src/client/status';
import { makeDeferred } from '../../src/domain/deferred';
import { BrowserPlatform } from '../../src/platform/browser-platform';
import type { TabPlatform } from '../../src/platform/platform';

/** A page whose browser answers as the test says. */
function setup(storage: TabPlatform['storage']) {
  const page = new EventTarget();
  const platform: TabPlatform = Object.assign(new BrowserPlatform(), {
    page,
    storage,
    isGone: () => Promise.resolve(false),
  });
  const board = new StatusBoard('notes', 's-1', () => undefined);
  const persistence = new Persistence(platform, board);
  const end = new AbortController();
  const life = { isClosed: false };
  const session: SessionEnd = {
    ended: end.signal,
    sessionId: 's-1',
    isOutdated: () => false,
    isClosed: () => life.isClosed,
  };
  const close = (): void => {
    life.isClosed = true;
    end.abort();
    persistence.stop();
  };
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  return { page, board, persistence, session, close, settled };
}

/** A browser that grants or refuses, and counts how often it was asked. */
function makeStorage(isGranted: boolean) {
  const state = { isPersisted: false, asked: 0 };
  return {
    state,
    persisted: () => Promise.resolve(state.isPersisted),
    persist: () => {
      state.asked += 1;
      state.isPersisted ||= isGranted;
      return Promise.resolve(state.isPersisted);
    },
  };
}

describe('what the status knows', () => {
  test('is learned at the start without asking the user', async () => {
    const storage = makeStorage(true);
    const { board, persistence, settled } = setup(storage);
    expect(board.current.persisted).toBeNull();
    persistence.start();
    await settled();
    expect(board.current.persisted).toBe(false);
    expect(storage.state.asked).toBe(0);
  });

  test('is looked up when the user comes back to the page, and told once', async () => {
    const storage = makeStorage(true);
    const { board, page, persistence, settled } = setup(storage);
    persistence.start();
    await settled();
    const told: (boolean | null)[] = [];
    board.on('status', ({ persisted }) => told.push(persisted));
    storage.state.isPersisted = true; // another tab asked
    for (let turn = 0; turn < 2; turn++) {
      page.dispatchEvent(new Event('visibilitychange'));
      await settled();
    }
    expect(told).toEqual([true]);
  });

  test('stays null where the browser says nothing', async () => {
    for (const storage of [undefined, {}, { persisted: () => Promise.reject(new TypeError('opaque')) }]) {
      const { board, persistence, settled } = setup(storage);
      persistence.start();
      await settled();
      expect(board.current.persisted).toBeNull();
    }
  });
});

describe('persist', () => {
  test.each([true, false])('resolves with what the browser says: %s', async (isGranted) => {
    const { board, persistence, session } = setup(makeStorage(isGranted));
    expect(await persistence.persist(session)).toBe(isGranted);
    expect(board.current.persisted).toBe(isGranted);
  });

  test('is refused where the browser cannot be asked', async () => {
    for (const storage of [undefined, {}]) {
      const { persistence, session } = setup(storage);
      expect(await persistence.persist(session)).toBe(false);
    }
  });

  test('where the browser fails is STORAGE_BLOCKED with its reason', async () => {
    const cause = new TypeError('opaque origin');
    const { board, persistence, session } = setup({ persist: () => Promise.reject(cause) });
    await expect(persistence.persist(session)).rejects.toMatchObject({ code: 'STORAGE_BLOCKED', cause });
    expect(board.current.persisted).toBeNull();
  });

  test('whose prompt is left open ends with its time, its signal or the client', async () => {
    const { persistence, session, close } = setup({ persist: () => new Promise(() => undefined) });
    await expect(persistence.persist(session, { timeoutMs: 1 })).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    });
    const controller = new AbortController();
    const aborted = persistence.persist(session, { signal: controller.signal });
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' });
    const closed = persistence.persist(session);
    close();
    await expect(closed).rejects.toMatchObject({ code: 'CLIENT_CLOSED' });
  });

  test('on a closed client asks nobody', async () => {
    const storage = makeStorage(true);
    const { persistence, session, close } = setup(storage);
    close();
    await expect(persistence.persist(session)).rejects.toMatchObject({
      code: 'CLIENT_CLOSED',
      details: { outcome: 'not-executed' },
    });
    expect(storage.state.asked).toBe(0);
  });

  test('that is granted after the wait has ended is in the status', async () => {
    const prompt = makeDeferred<boolean>();
    const { board, persistence, session, settled } = setup({ persist: () => prompt.promise });
    await expect(persistence.persist(session, { timeoutMs: 1 })).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    });
    prompt.resolve(true);
    await settled();
    expect(board.current.persisted).toBe(true);
  });

  test.each([
    ['a signal that is none', { signal: {} }, 'signal'],
    ['a time that is none', { timeoutMs: -1 }, 'timeoutMs'],
  ])('with %s is INVALID_INPUT and asks nobody', async (_name, options, path) => {
    const storage = makeStorage(true);
    const { persistence, session } = setup(storage);
    await expect(persistence.persist(session, options as object)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      details: { path },
    });
    expect(storage.state.asked).toBe(0);
  });
});
