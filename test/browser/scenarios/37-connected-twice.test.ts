/** Hot reload, and components that are mounted twice: what a page leaves behind when it connects more than once. */
import { describe, expect, test } from 'vitest';
import { lockNames } from '../../../src/protocol/names';
import { openTab, type Tab } from '../support/open-tab';
import { freshDatabase, mustBeOk, shouldFailWith } from './setup';

type ClientsTab = Tab<typeof import('../pages/clients')>;

async function openClientsTab(): Promise<ClientsTab> {
  return openTab<typeof import('../pages/clients')>({ module: '/bundled/clients.js' });
}

/** The living workers and sessions of a database: each holds a lock. */
async function countLiving(db: string): Promise<{ workers: number; sessions: number }> {
  const { held = [], pending = [] } = await navigator.locks.query();
  const names = new Set([...held, ...pending].map(({ name }) => name ?? ''));
  const count = (prefix: string): number => [...names].filter((name) => name.startsWith(prefix)).length;
  return { workers: count(`tidelock/${db}/worker/`), sessions: count(lockNames.session(db, '')) };
}

async function shouldLive(db: string, clients: number): Promise<void> {
  await expect
    .poll(() => countLiving(db), { timeout: 10_000 })
    .toEqual({ workers: clients, sessions: clients });
}

describe('two clients of one page', () => {
  test('each work, and see what the other writes; closing one leaves exactly the other', async () => {
    const db = freshDatabase();
    const tab = await openClientsTab();
    const first = mustBeOk(await tab.call('connectAs', 'first', db));
    const second = mustBeOk(await tab.call('connectAs', 'second', db));
    expect(first, 'they are two sessions').not.toBe(second);
    mustBeOk(await tab.call('append', 'first', 0));
    mustBeOk(await tab.call('append', 'second', 0));
    expect(mustBeOk(await tab.call('count', 'first'))).toBe(2);
    await shouldLive(db, 2);
    // The one that writes: the other's worker takes over.
    await tab.call('close', 'first');
    shouldFailWith(await tab.call('append', 'first', 1), 'CLIENT_CLOSED');
    mustBeOk(await tab.call('append', 'second', 1));
    expect(mustBeOk(await tab.call('count', 'second'))).toBe(3);
    await shouldLive(db, 1);
    await tab.call('close', 'second');
    await shouldLive(db, 0);
    expect(await tab.call('readUnhandled')).toEqual([]);
    expect(await tab.errors()).toEqual([]);
  });

  test('one that closes while it waits in line does not touch the other', async () => {
    const db = freshDatabase();
    const tab = await openClientsTab();
    mustBeOk(await tab.call('connectAs', 'writer', db));
    mustBeOk(await tab.call('connectAs', 'passing', db));
    await tab.call('close', 'passing');
    mustBeOk(await tab.call('append', 'writer', 0));
    await shouldLive(db, 1);
    await tab.call('waitToWrite', 'writer');
  });
});

describe('a component that is mounted twice', () => {
  test('before anything has come leaves one client and one worker, and never made another', async () => {
    const db = freshDatabase();
    const tab = await openClientsTab();
    expect(await tab.call('mountAgainAndAgain', 'app', db, [0]), 'clients shown').toBe(1);
    expect(await tab.call('countWorkersMade')).toBe(1);
    mustBeOk(await tab.call('append', 'app', 0));
    await shouldLive(db, 1);
    expect(await tab.call('readUnhandled')).toEqual([]);
    expect(await tab.errors()).toEqual([]);
  });

  test('and unmounted at any moment of its start leaves one client and one worker', async () => {
    const db = freshDatabase();
    const tab = await openClientsTab();
    await tab.call('mountAgainAndAgain', 'app', db, [0, 1, 5, 20, 50, 100, 200, 400, 1_000]);
    mustBeOk(await tab.call('append', 'app', 0));
    expect(mustBeOk(await tab.call('count', 'app'))).toBe(1);
    await shouldLive(db, 1);
    await tab.call('close', 'app');
    await shouldLive(db, 0);
    expect(await tab.call('readUnhandled')).toEqual([]);
    expect(await tab.errors()).toEqual([]);
  });
});
