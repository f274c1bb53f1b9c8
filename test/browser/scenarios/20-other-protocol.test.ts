/** Pages, worker files and writers that do not speak the same protocol. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { DISCOVERY_FORMAT, parseDiscoveryMessage } from '../../../src/protocol/discovery';
import { PROTOCOL_VERSION } from '../../../src/protocol/limits';
import { channelNames } from '../../../src/protocol/names';
import {
  freshDatabase,
  joinLedger,
  mustBeOk,
  openLedgerTab,
  pause,
  shouldFailWith,
  takeWriterPlace,
} from './setup';

const NEXT = PROTOCOL_VERSION + 1;

/** Speaks on the discovery channel as a build of another protocol does: the frozen envelope, and a body of its own. */
function speak(db: string, protocol: number, kind: string): void {
  const channel = new BroadcastChannel(channelNames.discovery(db));
  onTestFinished(() => channel.close());
  const message = { tidelock: DISCOVERY_FORMAT, protocol, from: 'another', to: null, body: { kind } };
  expect(parseDiscoveryMessage(message)).toBeDefined();
  channel.postMessage(message);
}

describe('a worker file', () => {
  test.each([NEXT, PROTOCOL_VERSION - 1])('of protocol %d is PROTOCOL_MISMATCH', async (protocol) => {
    const tab = await openLedgerTab();
    const faults = `protocol=${String(protocol)}`;
    expect(await tab.call('join', freshDatabase(), { faults })).toMatchObject({
      ok: false,
      code: 'PROTOCOL_MISMATCH',
      details: { expected: PROTOCOL_VERSION, actual: protocol },
    });
  });

  test('that a deploy replaced under a living page tells it to reload; a tab of its build goes on serving it', async () => {
    const db = freshDatabase();
    const tab = await joinLedger(db);
    await joinLedger(db);
    await tab.call('redeploy', `protocol=${String(NEXT)}`);
    expect(await tab.terminateWorkers()).toBe(1);
    mustBeOk(await tab.call('mutate', 'append', 'a', 0));
    await expect.poll(() => tab.call('readUpgrades')).toEqual(['PROTOCOL_MISMATCH']);
    const { workerStage, connection } = await tab.call('readStatus');
    expect({ workerStage, connection }).toEqual({ workerStage: 'failed', connection: 'connected' });
  });

  test('that a deploy took away is told with its address, and another tab goes on serving the page', async () => {
    const db = freshDatabase();
    const tab = await joinLedger(db);
    const other = await joinLedger(db);
    await tab.call('loseWorkerFile');
    expect(await tab.terminateWorkers()).toBe(1);
    mustBeOk(await tab.call('mutate', 'append', 'a', 0));
    await expect.poll(() => tab.call('readUpgrades')).toEqual(['WORKER_LOAD_FAILED']);
    const { workerError, workerStage, connection } = await tab.call('readStatus');
    expect(workerError).toMatch(/of-an-earlier-deploy\.js.*reload the page/);
    expect({ workerStage, connection }).toEqual({ workerStage: 'failed', connection: 'connected' });
    mustBeOk(await other.call('mutate', 'append', 'b', 0));
    mustBeOk(await tab.call('mutate', 'append', 'a', 1));
  });
});

describe('a writer of another protocol', () => {
  test.each(['writer', 'welcome', 'change', 'refuse'])(
    'a newer one’s "%s" makes this page outdated',
    async (kind) => {
      const db = freshDatabase();
      const tab = await joinLedger(db);
      speak(db, NEXT, kind);
      await tab.call('waitForConnection', 'outdated');
      shouldFailWith(await tab.call('query', 'count'), 'UPGRADE_REQUIRED');
    },
  );

  test.each(['hello', 'leave', 'of a kind nobody knows'])(
    'a newer build’s "%s" says nothing of a writer',
    async (kind) => {
      const db = freshDatabase();
      const tab = await joinLedger(db);
      speak(db, NEXT, kind);
      mustBeOk(await tab.call('mutate', 'append', 'a', 0));
      expect(await tab.call('readUpgrades')).toEqual([]);
    },
  );

  test('an older one’s words are nothing to this page', async () => {
    const db = freshDatabase();
    const tab = await joinLedger(db);
    for (const kind of ['writer', 'welcome', 'refuse', 'stand']) speak(db, PROTOCOL_VERSION - 1, kind);
    mustBeOk(await tab.call('mutate', 'append', 'a', 0));
    expect((await tab.call('readStatus')).writer?.epoch).toBe(1);
  });

  test('one that stands for the place is given it, and the page waits until it is told more', async () => {
    const db = freshDatabase();
    const tab = await joinLedger(db);
    const place = takeWriterPlace(db);
    await pause(100);
    speak(db, NEXT, 'stand');
    await place.granted;
    const asked = tab.call('mutate', 'append', 'a', 0);
    place.release(); // it could not open, and the older build goes on
    mustBeOk(await asked);
    expect((await tab.call('readStatus')).writer?.epoch).toBe(2);
  });
});

test('what is no message of this protocol, though it claims to be, is nothing to tabs and workers', async () => {
  const db = freshDatabase();
  const writer = await joinLedger(db);
  const tab = await joinLedger(db);
  const channel = new BroadcastChannel(channelNames.discovery(db));
  onTestFinished(() => channel.close());
  const bodies = [
    ...['hello', 'stand', 'writer', 'welcome', 'refuse', 'change', 'leave'].map((kind) => ({ kind })),
    { kind: 'stand', build: {} },
    { kind: 'hello', build: { protocol: PROTOCOL_VERSION, schema: null, version: 0 } },
    { kind: 'welcome', writer: { serverInstanceId: '9.x', epoch: 9, build: {} } },
  ];
  for (const body of bodies)
    channel.postMessage({
      tidelock: DISCOVERY_FORMAT,
      protocol: PROTOCOL_VERSION,
      from: 'x',
      to: null,
      body,
    });
  for (const each of [writer, tab]) {
    mustBeOk(await each.call('mutate', 'append', each.id, 0));
    expect(await each.errors()).toEqual([]);
  }
  expect((await tab.call('readStatus')).writer?.epoch).toBe(1);
});
