/** Writers and followers that go away, in WebKit. A database in memory begins anew with each writer. */
import { expect, test } from 'vitest';
import {
  freshDatabase,
  mustBeOk,
  pause,
  readOrder,
  shouldStandInLine,
  useWebkit,
  type CoordinationTab,
} from './support/use-webkit';

const webkit = useWebkit();
const RELOADS = 10;
const ELSEWHERE = '/tab.html?elsewhere';

test('when the writer’s window is closed the next tab writes, in a database begun anew', async () => {
  const db = freshDatabase();
  const writer = await webkit.join(db);
  const others = [await webkit.join(db), await webkit.join(db)];
  const before = mustBeOk(await others[0]?.call('mutate', 'append', 'lost', 0));
  expect(before).toEqual({ tab: 'lost', n: 0 });
  for (const other of others) await shouldStandInLine(other);
  await writer.close();
  await Promise.race(others.map((other) => other.call('waitForRole', 'writer')));
  for (const [n, other] of others.entries()) {
    mustBeOk(await other.call('openWorkspace', 'w-1'));
    mustBeOk(await other.call('mutate', 'append', 'kept', n));
  }
  for (const other of others) expect(await readOrder(other)).toBe('kept0 kept1');
  const statuses = await Promise.all(others.map((other) => other.call('readStatus')));
  expect(statuses.map(({ role }) => role).toSorted()).toEqual(['follower', 'writer']);
});

test('calls of every kind in flight when the writer’s window is closed all end, with an answer or a code', async () => {
  const db = freshDatabase();
  const writer = await webkit.join(db);
  const other = await webkit.join(db);
  // The writer is busy, so none of the calls has been answered when it goes.
  await other.call('keepCalling', 'r', 1_500);
  await writer.close();
  await other.call('waitForRole', 'writer');
  const { calls, failures } = await other.call('stopCalling');
  expect(Object.keys(calls).length).toBeGreaterThan(10);
  // What the old database held the new one does not know; nothing is left open, and nothing is untyped.
  const codes = failures.map(({ outcome }) => (outcome.ok ? '' : outcome.code));
  expect(codes.filter((code) => !/^[A-Z_]+$/.test(code))).toEqual([]);
  mustBeOk(await other.call('openWorkspace', 'w-1'));
  mustBeOk(await other.call('mutate', 'append', 'after', 0));
  expect(await other.call('readUnhandled')).toEqual([]);
});

test('a tab whose worker is terminated gets another, and goes on', async () => {
  const db = freshDatabase();
  const tab = await webkit.join(db);
  const before = await tab.call('readStatus');
  expect(await tab.terminateWorkers()).toBe(1);
  await expect
    .poll(async () => (await tab.call('readStatus')).writer?.serverInstanceId, { timeout: 20_000 })
    .not.toBe(before.writer?.serverInstanceId);
  mustBeOk(await tab.call('openWorkspace', 'w-1'));
  mustBeOk(await tab.call('mutate', 'append', 'after', 0));
  expect(await readOrder(tab)).toBe('after0');
});

test('closing twice with calls of every kind pending ends each as CLIENT_CLOSED, and nothing is unhandled', async () => {
  const tab = await webkit.join(freshDatabase());
  const outcomes = await tab.call('closeWithCallsPending');
  expect(outcomes.length).toBeGreaterThan(10);
  for (const outcome of outcomes) expect(outcome).toMatchObject({ ok: false, code: 'CLIENT_CLOSED' });
  expect(await tab.call('readUnhandled')).toEqual([]);
  await expect.poll(() => tab.call('listLocks'), { timeout: 10_000 }).toEqual([]);
});

/** Joins and appends as far as the next reload lets it; a failure that the page itself was told is returned. */
async function liveUntilReload(tab: CoordinationTab, db: string, n: number): Promise<string | null> {
  try {
    mustBeOk(await tab.call('join', db, { storage: 'memory' }));
    mustBeOk(await tab.call('mutate', 'append', 'reload', n));
  } catch (error) {
    const text = String(error);
    return text.includes('wanted ok') ? text : null; // the page was reloaded under the call
  }
  return null;
}

test(`a tab reloaded ${String(RELOADS)} times starts without an error beside one that goes on`, async () => {
  const db = freshDatabase();
  const steady = await webkit.join(db);
  const tab = await webkit.join(db);
  const lives: Promise<string | null>[] = [];
  for (let reload = 0; reload < RELOADS; reload++) {
    await tab.reload();
    lives.push(liveUntilReload(tab, db, reload));
    await pause(200);
  }
  await tab.reload();
  mustBeOk(await tab.call('join', db, { storage: 'memory' }));
  mustBeOk(await tab.call('mutate', 'append', 'kept', 0));
  expect((await Promise.all(lives)).filter((failure) => failure !== null)).toEqual([]);
  mustBeOk(await steady.call('mutate', 'append', 'kept', 1));
  expect((await readOrder(tab)).endsWith('kept0 kept1')).toBe(true);
  expect((await steady.call('readStatus')).role).toBe('writer');
});

/**
 * WebKit caches a page whose worker holds a lock, as Chromium does, and the lock with it. Chromium drops such a page when
 * somebody asks about locks; WebKit does not, so here giving the place up on `pagehide` is all that helps.
 */
test('a page that writes, is left and returned to lets another write meanwhile and goes on', async () => {
  const db = freshDatabase();
  const traveller = await webkit.join(db);
  const other = await webkit.join(db);
  await shouldStandInLine(other);
  await traveller.goto(ELSEWHERE);
  await other.call('waitForRole', 'writer');
  mustBeOk(await other.call('openWorkspace', 'w-1'));
  mustBeOk(await other.call('mutate', 'append', 'away', 0));
  await traveller.goBack();
  // Out of the cache: the client is the one that left.
  expect(await traveller.call('joinOnce', db, { storage: 'memory' })).toBe('had joined');
  mustBeOk(await traveller.call('mutate', 'append', 'back', 0));
  expect(await readOrder(other)).toBe('away0 back0');
  expect((await traveller.call('readStatus')).role).toBe('follower');
});
