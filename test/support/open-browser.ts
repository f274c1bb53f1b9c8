import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserContext } from 'playwright';
import { chromiumOptions } from './chromium-options';
import { mustFindChromium } from './find-chromium';

export interface OpenBrowser {
  /** One profile on disk. A default Playwright context is incognito: OPFS there is memory behind IPC. */
  readonly context: BrowserContext;
  /** Ends the browser and removes its profile. May be called twice. */
  close(): Promise<void>;
}

/** Starts Chromium on a fresh profile in a temporary folder, for tests that run in Node. The caller closes it. */
export async function openBrowser(): Promise<OpenBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'tidelock-browser-'));
  const context = await chromium.launchPersistentContext(profile, chromiumOptions(mustFindChromium()));
  return {
    context,
    close: async () => {
      await context.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
