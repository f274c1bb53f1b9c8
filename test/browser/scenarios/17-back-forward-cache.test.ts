/** What a page holds while it sits in the back/forward cache: nothing, from the moment it is left. */
import { describe, expect, test } from 'vitest';
import { lockNames } from '../../../src/protocol/names';
import { joinTab, openNotesTab, type NotesTab } from '../client/setup';
import { freshDatabase, mustBeOk, pause, takeWriterPlace } from './setup';

const ELSEWHERE = '/test/browser/pages/tab.html?elsewhere';
/** A worker in the middle of a call is ended by the browser; on a busy machine that takes its time. */
const FREE_WITHIN_MS = 10_000;
/** Whoever waits in line for a lock of a cached page, or asks about locks, makes Chromium drop the page: nobody does so soon. */
const UNWATCHED_MS = 1_500;

/** The locks of a database that somebody holds or waits for. */
async function listLocks(db: string): Promise<readonly string[]> {
  const { held = [], pending = [] } = await navigator.locks.query();
  const names = new Set([...held, ...pending].map(({ name }) => name ?? ''));
  return [...names].filter((name) => name.startsWith(`tidelock/${db}/`));
}

/**
 * Leaves the page and returns to it: whether it came out of the cache, and why not. The locks must be free meanwhile.
 */
async function leaveAndReturn(
  db: string,
  tab: NotesTab,
  locks: readonly string[],
): Promise<{ readonly isRestored: boolean; readonly reasons: unknown }> {
  await tab.evaluate(() => Object.assign(globalThis, { isTheSamePage: true }));
  await tab.goto(ELSEWHERE);
  await pause(UNWATCHED_MS);
  const left = await listLocks(db);
  expect(
    locks.filter((name) => left.includes(name)),
    'locks of a page that is away',
  ).toEqual([]);
  await tab.goBack();
  return await tab.evaluate(() => {
    const [navigation] = performance.getEntriesByType('navigation');
    // Newer than the types.
    const { notRestoredReasons } = navigation as unknown as { readonly notRestoredReasons: unknown };
    return {
      isRestored: 'isTheSamePage' in globalThis,
      reasons: JSON.parse(JSON.stringify(notRestoredReasons ?? null)) as unknown,
    };
  });
}

const RESTORED = { isRestored: true, reasons: null };

describe('a page that is left', () => {
  test('frees every lock of its own, comes out of the cache, and goes on: the one that writes', async () => {
    const db = freshDatabase();
    const tab = await joinTab(db);
    const locks = await listLocks(db);
    expect(locks, 'its session, its worker, the writer’s place').toHaveLength(3);
    expect(await leaveAndReturn(db, tab, locks)).toEqual(RESTORED);
    mustBeOk(await tab.call('addNote', 'after'));
    expect((await tab.call('readStatus')).role).toBe('writer');
  });

  test('the same for one that stands in line', async () => {
    const db = freshDatabase();
    const writer = await joinTab(db);
    const before = await listLocks(db);
    const tab = await joinTab(db);
    await expect
      .poll(async () => (await tab.call('readStatus')).workerStage, { timeout: 20_000 })
      .toBe('waiting');
    const locks = (await listLocks(db)).filter((name) => !before.includes(name));
    expect(locks, 'its session and its worker').toHaveLength(2);
    expect(await leaveAndReturn(db, tab, locks)).toEqual(RESTORED);
    mustBeOk(await tab.call('addNote', 'after'));
    expect(await writer.call('listNotes')).toEqual(['after']);
  });

  test('the same in the middle of a pull', async () => {
    const db = freshDatabase();
    const tab = await joinTab(db);
    await tab.call('beginPull');
    const locks = await listLocks(db);
    expect(locks).toContain(lockNames.pull(db, 'w-1', 'main'));
    expect(await leaveAndReturn(db, tab, locks)).toEqual(RESTORED);
    mustBeOk(await tab.call('pullOnce'));
  });

  test('the same while it still starts', async () => {
    const db = freshDatabase();
    const place = takeWriterPlace(db);
    await place.granted;
    const tab = await openNotesTab();
    const joining = tab.evaluate((name) => {
      const { tab: page } = globalThis as unknown as {
        tab: { call(name: string, args: unknown[]): Promise<unknown> };
      };
      Object.assign(globalThis, { joining: page.call('join', [name]) });
    }, db);
    await joining;
    await expect.poll(() => listLocks(db), { timeout: 20_000 }).toHaveLength(3); // its session, its worker, the test's
    const locks = (await listLocks(db)).filter((name) => name !== lockNames.writer(db));
    expect(await leaveAndReturn(db, tab, locks)).toEqual(RESTORED);
    place.release();
    expect(await tab.evaluate(() => (globalThis as unknown as { joining: unknown }).joining)).toMatchObject({
      ok: true,
    });
  });

  test('whose client is closed holds nothing even before', async () => {
    const db = freshDatabase();
    const tab = await joinTab(db);
    await tab.call('close');
    await expect.poll(() => listLocks(db), { timeout: FREE_WITHIN_MS }).toEqual([]);
    expect(await leaveAndReturn(db, tab, [])).toEqual(RESTORED);
  });

  test('and keeps a lock is dropped once somebody asks, and the browser says why: so the others prove something', async () => {
    const tab = await openNotesTab();
    const name = freshDatabase();
    await tab.evaluate((lock) => {
      void navigator.locks.request(lock, () => new Promise(() => undefined));
    }, name);
    await expect
      .poll(async () => (await navigator.locks.query()).held?.map((lock) => lock.name))
      .toContain(name);
    await tab.goto(ELSEWHERE);
    await expect.poll(async () => (await navigator.locks.query()).held).toEqual([]);
    await tab.goBack();
    expect(await tab.evaluate(() => performance.getEntriesByType('navigation').length)).toBe(1);
    const reasons = await tab.evaluate(() => {
      const [navigation] = performance.getEntriesByType('navigation');
      return JSON.stringify((navigation as unknown as { notRestoredReasons: unknown }).notRestoredReasons);
    });
    expect(reasons).toMatch(/reason/);
  });
});
