/**
 * Where the browsers' engines differ for the tests; nothing else asks which one it is. Read in Node by the commands that
 * drive tabs, and in the browser by the tests.
 */
import type { Page } from 'playwright';

export interface Engine {
  /** Ends the process of the tab, with no goodbye, and settles when it is gone. */
  crash(page: Page): Promise<void>;
  /**
   * Whether a page that held a Web Lock when it was left may be shown again as it was. Firefox keeps none in its
   * back/forward cache that did, and the library holds one as long as it has a session.
   */
  readonly cachesPagesThatHeldLocks: boolean;
}

/** A crash normally shows within 50 ms; a browser that needs this long is hung. */
const CRASH_DEADLINE_MS = 10_000;

const ENGINES: Readonly<Record<string, Engine>> = {
  chromium: {
    crash: async (page) => {
      const crashed = page.waitForEvent('crash', { timeout: CRASH_DEADLINE_MS });
      // The navigation never ends: its process is gone. The crash event is the answer.
      page.goto('chrome://crash').catch(() => undefined);
      await crashed;
    },
    cachesPagesThatHeldLocks: true,
  },
  firefox: {
    crash: async (page) => {
      // Over BiDi no event tells of a crash. The page that takes the dead one's place is one no driver may see, so the
      // navigation fails; and what the dead page was evaluating is rejected.
      const died = page.evaluate('new Promise(() => undefined)').catch(() => undefined);
      const refused = page.goto('about:crashcontent', { timeout: CRASH_DEADLINE_MS }).then(
        () => {
          throw new Error('Cannot crash the tab: about:crashcontent was opened; wanted its process to end.');
        },
        () => undefined,
      );
      await Promise.race([died, refused]);
    },
    cachesPagesThatHeldLocks: false,
  },
};

/** The engine of this name, as Vitest calls it. */
export function mustGetEngine(name: string): Engine {
  const engine = ENGINES[name];
  if (engine === undefined)
    throw new Error(`Cannot test in "${name}": wanted one of ${Object.keys(ENGINES).join(', ')}.`);
  return engine;
}
