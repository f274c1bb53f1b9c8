/**
 * Where the browsers' engines differ for the tests; nothing else asks which one it is. Read in Node by the commands that
 * drive tabs, and in the browser by the tests.
 */
import type { Page } from 'playwright';

export interface Engine {
  /** Ends the process of the tab, with no goodbye, and settles when it is gone. */
  crash(page: Page): Promise<void>;
  /** Goes one page back, and settles when that one is shown: loaded again, or out of the back/forward cache. */
  goBack(page: Page): Promise<void>;
  /**
   * Whether a page that held a Web Lock when it was left may be shown again as it was. Firefox keeps none in its
   * back/forward cache that did, and the library holds one as long as it has a session.
   */
  readonly cachesPagesThatHeldLocks: boolean;
}

/** A crash normally shows within 50 ms; a browser that needs this long is hung. */
const CRASH_DEADLINE_MS = 10_000;

/** As long as a page may take to load. */
const BACK_DEADLINE_MS = 30_000;

const ENGINES: Readonly<Record<string, Engine>> = {
  chromium: {
    crash: async (page) => {
      const crashed = page.waitForEvent('crash', { timeout: CRASH_DEADLINE_MS });
      // The navigation never ends: its process is gone. The crash event is the answer.
      page.goto('chrome://crash').catch(() => undefined);
      await crashed;
    },
    goBack: async (page) => {
      // A page out of the cache loads nothing.
      await page.goBack({ waitUntil: 'commit' });
    },
    cachesPagesThatHeldLocks: true,
  },
  firefox: {
    crash: async (page) => {
      // Over BiDi no event tells of a crash. What the dead page was evaluating is rejected: that is the answer. That
      // the navigation fails is none: it does so as well where it is not allowed.
      const died = page.evaluate('new Promise(() => undefined)').catch(() => undefined);
      let refusal: unknown;
      page.goto('about:crashcontent', { timeout: CRASH_DEADLINE_MS }).catch((error: unknown) => {
        refusal = error;
      });
      const isDead = await Promise.race([
        died.then(() => true),
        new Promise<false>((resolve) => setTimeout(() => resolve(false), CRASH_DEADLINE_MS)),
      ]);
      if (!isDead) throw new Error('Cannot crash the tab: its process goes on.', { cause: refusal });
    },
    goBack: async (page) => {
      // Over BiDi no event tells of a page that comes out of the cache: Playwright would wait for its load.
      const left = await page.evaluate<string>('location.href');
      const loaded = page.goBack({ waitUntil: 'commit', timeout: BACK_DEADLINE_MS });
      await Promise.any([loaded, untilElsewhere(page, left)]);
    },
    cachesPagesThatHeldLocks: false,
  },
};

/** Settles when the page in the tab has another address than the one it left. */
async function untilElsewhere(page: Page, left: string): Promise<void> {
  const deadlineAt = performance.now() + BACK_DEADLINE_MS;
  while (performance.now() < deadlineAt) {
    // Between two pages there is none to ask.
    const address = await page.evaluate<string>('location.href').catch(() => left);
    if (address !== left) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`Cannot go back from ${left}: the page before it was not shown in time.`);
}

/** The engine of this name, as Vitest calls it. */
export function mustGetEngine(name: string): Engine {
  const engine = ENGINES[name];
  if (engine === undefined)
    throw new Error(`Cannot test in "${name}": wanted one of ${Object.keys(ENGINES).join(', ')}.`);
  return engine;
}
