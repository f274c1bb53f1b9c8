import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Outcome } from '../../browser/pages/settle';
import { WebkitBrowser } from './browser';
import type { WebkitTab } from './tab';

type Page = typeof import('../pages/coordination');
export type CoordinationTab = WebkitTab<Page>;

/** A database's locks are free soon after its tabs are closed: reached only by one that is left behind. */
const LOCKS_FREE_TIMEOUT_MS = 10_000;

export interface Webkit {
  /** A tab with the coordination page, which has not joined any database. */
  open(): Promise<CoordinationTab>;
  /** A tab that has joined the database in memory and opened its workspace. */
  join(name: string): Promise<CoordinationTab>;
}

/** A browser for all the tests of a file. After each its tabs are closed, and no lock may be left. */
export function useWebkit(): Webkit {
  let browser: WebkitBrowser | undefined;
  let home: CoordinationTab | undefined;
  const mustHaveBrowser = (): WebkitBrowser => {
    if (browser === undefined) throw new Error('No browser: it did not start.');
    return browser;
  };
  beforeAll(async () => {
    browser = await WebkitBrowser.open();
    home = await browser.openHome<Page>();
  });
  afterEach(async () => {
    await browser?.closeTabs();
    await expect.poll(() => home?.call('listLocks'), { timeout: LOCKS_FREE_TIMEOUT_MS }).toEqual([]);
  });
  afterAll(() => browser?.close());
  const open = (): Promise<CoordinationTab> => mustHaveBrowser().openTab<Page>();
  return {
    open,
    join: async (name) => {
      const tab = await open();
      mustBeOk(await tab.call('join', name, { storage: 'memory' }));
      return tab;
    },
  };
}

/** A database nobody used before. */
export function freshDatabase(): string {
  return `t-${crypto.randomUUID()}`;
}

export function mustBeOk<T>(outcome: Outcome<T> | undefined): T {
  if (outcome?.ok === true) return outcome.value;
  throw new Error(`wanted ok, was ${JSON.stringify(outcome)}`);
}

/** The entries as one text, in the order in which they were committed: `a0 a1 b0`. */
export async function readOrder(tab: CoordinationTab): Promise<string> {
  const entries = await tab.call('readEntries');
  return entries.map((entry) => `${entry.tab}${String(entry.n)}`).join(' ');
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Its worker is loaded and waits for the writer's lock. */
export async function shouldStandInLine(tab: CoordinationTab): Promise<void> {
  await expect
    .poll(async () => (await tab.call('readStatus')).workerStage, { timeout: 20_000 })
    .toBe('waiting');
}
