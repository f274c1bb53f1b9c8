/**
 * Real tabs for browser tests: commands that run in Node and drive Playwright.
 *
 *   test page (iframe) ──rpc──▶ these commands ──▶ context.newPage() ──▶ test/browser/pages/tab.html
 *
 * Tabs share the browser profile with the test page, so they share its OPFS, locks and channels. Use the typed
 * wrapper in `support/open-tab.ts`; these commands only carry strings and JSON. A tab belongs to the test that opened
 * it; `support/setup.ts` closes what a test left open. A page that was closed or has crashed rejects the calls it was
 * evaluating: no call on a dead tab waits for ever.
 */
import type { Page } from 'playwright';
import type { BrowserCommand, BrowserCommandContext } from 'vitest/node';
import { mustGetEngine } from './support/engine.ts';

export interface TabSummary {
  readonly id: string;
  readonly url: string;
  readonly state: 'open' | 'crashed';
}

interface OpenTab {
  readonly page: Page;
  /** Uncaught errors and console errors of the page and its workers, oldest first. */
  readonly errors: string[];
  /** Aborts when the tab's process is gone. */
  readonly crash: AbortController;
  /** Settles when the process that is being killed is gone; undefined while nobody kills it. */
  dying?: Promise<void>;
}

const INSECURE_ORIGIN = 'http://insecure.test';

/** Of the test server's own client, which every page of it gets. */
const NOISE = /^WebSocket connection to 'ws:.*token=|^\[vite\]/;

const tabs = new Map<string, OpenTab>();
let lastTab = 0;

/** Opens `path` of the test server in a tab of its own, waits for its load event, and returns the tab's id. */
const tabOpen: BrowserCommand<[path: string]> = async (context, path) => {
  const page = await context.context.newPage();
  const id = adopt(page);
  await page.goto(absoluteUrl(context, path));
  return id;
};

/**
 * The same on an origin that browsers hold for insecure: plain http, and not localhost. There is no such server; what the
 * tab asks of it is fetched from the test server.
 */
const tabOpenInsecure: BrowserCommand<[path: string]> = async (context, path) => {
  const page = await context.context.newPage();
  const id = adopt(page);
  await page.route(`${INSECURE_ORIGIN}/**`, async (route) => {
    const { pathname, search } = new URL(route.request().url());
    const response = await route.fetch({ url: absoluteUrl(context, pathname + search) });
    // With `COI=1` the server sends it, and on an insecure origin Chromium complains of it in the console.
    const { 'cross-origin-opener-policy': _opener, ...headers } = response.headers();
    await route.fulfill({ response, headers });
  });
  await page.goto(new URL(path, INSECURE_ORIGIN).href);
  return id;
};

/** What the browser answers pages of the test server that ask it to keep their storage, for as long as the test's page lives. */
const setPersistence: BrowserCommand<[setting: 'granted' | 'denied' | 'prompt']> = async (
  context,
  setting,
) => {
  const session = await context.context.newCDPSession(context.page);
  const permission = { name: 'persistent-storage' };
  const { origin } = new URL(context.page.url());
  await session.send('Browser.setPermission', { permission, setting, origin });
};

/** Lists a page as a tab from now on, and returns its id. */
function adopt(page: Page): string {
  const id = `tab-${String(++lastTab)}`;
  const tab: OpenTab = { page, errors: [], crash: new AbortController() };
  page.on('pageerror', (error) => tab.errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !NOISE.test(message.text())) tab.errors.push(message.text());
  });
  page.on('crash', () => tab.crash.abort());
  page.on('close', () => tabs.delete(id));
  tabs.set(id, tab);
  return id;
}

/** Opens another tab as the browser's "Duplicate" does: with the same address and a copy of the session storage. */
const tabDuplicate: BrowserCommand<[id: string]> = async (_context, id) => {
  const { page } = mustGetTab(id);
  const opened = page.waitForEvent('popup');
  await page.evaluate('void window.open(location.href)');
  const duplicate = await opened;
  await duplicate.waitForLoadState();
  return adopt(duplicate);
};

/** Evaluates `source` in the tab: an expression, or a function when `argument` is wrapped in an array. */
const tabEvaluate: BrowserCommand<[id: string, source: string, argument?: readonly [unknown]]> = async (
  _context,
  id,
  source,
  argument,
) => {
  const tab = mustGetTab(id);
  const code = argument === undefined ? source : `(${source})(...${JSON.stringify(argument)})`;
  return untilCrash(tab, () => tab.page.evaluate<unknown>(code));
};

/** What `work` comes to, or that the tab crashed under it: not every engine rejects what a crashed page was asked. */
async function untilCrash<T>(tab: OpenTab, work: () => Promise<T>): Promise<T> {
  const { signal } = tab.crash;
  const crashed = (): Error => new Error(`The tab at ${tab.page.url()} has crashed.`);
  if (signal.aborted) throw crashed();
  return new Promise<T>((resolve, reject) => {
    const onCrash = (): void => reject(crashed());
    signal.addEventListener('abort', onCrash, { once: true });
    const onFailure = async (error: unknown): Promise<void> => {
      await tab.dying?.catch(() => undefined);
      reject(signal.aborted ? crashed() : error);
    };
    work()
      .then(resolve, onFailure)
      .finally(() => signal.removeEventListener('abort', onCrash));
  });
}

/** Closes the tab as a user does: no dialog, `pagehide` may run, nothing is awaited. */
const tabClose: BrowserCommand<[id: string]> = async (_context, id) => {
  await mustGetTab(id).page.close({ runBeforeUnload: false });
};

/** Kills the tab's renderer process. No handler of the page runs. The tab stays listed, and must still be closed. */
const tabCrash: BrowserCommand<[id: string]> = async ({ project }, id) => {
  const tab = mustGetTab(id);
  tab.dying = mustGetEngine(project.config.browser.name).crash(tab.page);
  await tab.dying;
  tab.crash.abort();
};

const tabReload: BrowserCommand<[id: string]> = async (_context, id) => {
  await mustGetTab(id).page.reload();
};

/** Navigates the tab. The page it leaves may go into the back/forward cache. */
const tabGoto: BrowserCommand<[id: string, path: string]> = async (context, id, path) => {
  await mustGetTab(id).page.goto(absoluteUrl(context, path));
};

const tabGoBack: BrowserCommand<[id: string]> = async ({ project }, id) => {
  await mustGetEngine(project.config.browser.name).goBack(mustGetTab(id).page);
};

/** Terminates every worker the tab made, and says how many there were. */
const tabTerminateWorkers: BrowserCommand<[id: string]> = async (_context, id) =>
  mustGetTab(id).page.evaluate<number>('globalThis.tab.terminateWorkers()');

const tabErrors: BrowserCommand<[id: string]> = (_context, id) => [...mustGetTab(id).errors];

const tabList: BrowserCommand<[]> = () =>
  [...tabs].map(([id, tab]): TabSummary => ({
    id,
    url: tab.page.url(),
    state: tab.crash.signal.aborted ? 'crashed' : 'open',
  }));

const tabCloseAll: BrowserCommand<[]> = async () => {
  const open = [...tabs.values()];
  await Promise.all(open.map((tab) => tab.page.close()));
  return open.length;
};

function mustGetTab(id: string): OpenTab {
  const tab = tabs.get(id);
  if (tab === undefined)
    throw new Error(`Cannot use tab "${id}": wanted one of ${[...tabs.keys()].join(', ')}.`);
  return tab;
}

function absoluteUrl(context: BrowserCommandContext, path: string): string {
  return new URL(path, context.page.url()).href;
}

export const commands = {
  tabOpen,
  tabOpenInsecure,
  tabDuplicate,
  tabEvaluate,
  tabClose,
  tabCrash,
  tabReload,
  tabGoto,
  tabGoBack,
  tabTerminateWorkers,
  tabErrors,
  tabList,
  tabCloseAll,
  setPersistence,
};

declare module 'vitest/browser' {
  interface BrowserCommands {
    tabOpen(path: string): Promise<string>;
    tabOpenInsecure(path: string): Promise<string>;
    tabDuplicate(id: string): Promise<string>;
    tabEvaluate(id: string, source: string, argument?: readonly [unknown]): Promise<unknown>;
    tabClose(id: string): Promise<void>;
    tabCrash(id: string): Promise<void>;
    tabReload(id: string): Promise<void>;
    tabGoto(id: string, path: string): Promise<void>;
    tabGoBack(id: string): Promise<void>;
    tabTerminateWorkers(id: string): Promise<number>;
    tabErrors(id: string): Promise<string[]>;
    tabList(): Promise<TabSummary[]>;
    tabCloseAll(): Promise<number>;
    setPersistence(setting: 'granted' | 'denied' | 'prompt'): Promise<void>;
  }
}
