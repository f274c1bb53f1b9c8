import { onTestFinished } from 'vitest';
import { parseDiscoveryMessage } from '../../../src/protocol/discovery';
import { channelNames, lockNames } from '../../../src/protocol/names';
import { openTab, type Tab } from '../support/open-tab';
import type { JoinOptions } from '../pages/ledger';
import { mustBeOk } from '../client/setup';
import type { StorageWorker } from '../storage/start-storage';

export { freshDatabase, mustBeOk, shouldFailWith } from '../client/setup';

export type LedgerTab = Tab<typeof import('../pages/ledger')>;

/** A tab with the ledger's page, which has not joined any database. */
export async function openLedgerTab(): Promise<LedgerTab> {
  return openTab<typeof import('../pages/ledger')>({ module: '/bundled/ledger.js' });
}

/** A tab that has joined the database and opened its workspace. */
export async function joinLedger(db: string, options: JoinOptions = {}): Promise<LedgerTab> {
  const tab = await openLedgerTab();
  mustBeOk(await tab.call('join', db, options));
  return tab;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Waits in line for the writer's place, as a worker does, and keeps it until `release`: while it is held, nobody writes
 * and nobody answers.
 */
export function takeWriterPlace(db: string): { readonly granted: Promise<void>; release(): void } {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const granted = new Promise<void>((resolve, reject) => {
    navigator.locks
      .request(lockNames.writer(db), () => {
        resolve();
        return released;
      })
      .catch(reject);
  });
  onTestFinished(release);
  return { granted, release };
}

/** What SQLite finds wrong with a database whose writer's place the caller holds: `ok` is nothing. */
export async function checkIntegrity(worker: StorageWorker, db: string): Promise<unknown> {
  await worker.run('open', { name: db });
  const [row] = await worker.run('all', 'PRAGMA integrity_check');
  await worker.run('close');
  return row?.['integrity_check'];
}

/** The entries as one text, in the order in which they were committed: `a0 a1 b0`. */
export async function readOrder(tab: LedgerTab, prefix = ''): Promise<string> {
  const entries = await tab.call('readEntries');
  return entries
    .filter((entry) => entry.tab.startsWith(prefix))
    .map((entry) => `${entry.tab}${String(entry.n)}`)
    .join(' ');
}

/** What the writers of a database say to everyone, from now on until the test ends. */
export function watchWriters(db: string): {
  readonly epochs: readonly number[];
  readonly wentBack: readonly string[];
} {
  const epochs: number[] = [];
  const wentBack: string[] = [];
  const channel = new BroadcastChannel(channelNames.discovery(db));
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const body = parseDiscoveryMessage(data)?.body;
    if (body === undefined || !('writer' in body) || body.kind === 'leave') return;
    const { epoch } = body.writer;
    const last = epochs.at(-1) ?? 0;
    if (epoch < last) wentBack.push(`${body.kind} of writer ${String(epoch)} after ${String(last)}`);
    if (body.kind === 'writer') {
      if (epoch === last) wentBack.push(`writer ${String(epoch)} twice`);
      epochs.push(epoch);
    }
  });
  onTestFinished(() => channel.close());
  return { epochs, wentBack };
}

/** How many hold the writer's place at this moment. */
export async function countWriterLocks(db: string): Promise<number> {
  const { held = [] } = await navigator.locks.query();
  return held.filter(({ name }) => name === lockNames.writer(db)).length;
}
