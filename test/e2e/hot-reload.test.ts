/** An app under Vite's hot module replacement: its module is edited again and again while the page stays. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createServer, type ViteDevServer } from 'vite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openBrowser, type OpenBrowser } from '../support/open-browser';
import { repositoryRoot } from '../support/repository-root';
import type { Page } from './support/playwright';

const EDIT_DEADLINE_MS = 20_000;

/** A module that connects, and, where it knows how to, closes when Vite replaces it. */
function makeModule(edit: number, closes: boolean): string {
  return `
import { connect } from 'tidelock';
const joining = connect({
  name: 'hot',
  worker: () => new Worker(new URL('../../test/browser/pages/ledger.worker.ts', import.meta.url), { type: 'module' }),
});
export const edit = ${String(edit)};
window.joined.push(joining);
joining.then(() => (window.edit = edit));
import.meta.hot.accept();
${closes ? `import.meta.hot.dispose(() => joining.then((tide) => tide.close()));` : ''}
`;
}

const PAGE = `<!doctype html><title>hot</title><link rel="icon" href="data:," />
<script>window.joined = []; window.isTheSamePage = false;</script>
<script type="module" src="/client.js"></script>`;

let folder: string;
let server: ViteDevServer;
let browser: OpenBrowser;

beforeEach(async () => {
  // Inside the repository, so that imports are found as an app's are.
  await mkdir(join(repositoryRoot, '.cache'), { recursive: true });
  folder = await mkdtemp(join(repositoryRoot, '.cache/hot-'));
  await writeFile(join(folder, 'index.html'), PAGE);
  server = await createServer({
    configFile: false,
    root: folder,
    cacheDir: join(folder, '.vite'),
    logLevel: 'silent',
    resolve: {
      alias: [
        { find: /^tidelock$/, replacement: join(repositoryRoot, 'src/index.ts') },
        { find: /^tidelock\/worker$/, replacement: join(repositoryRoot, 'worker/index.ts') },
      ],
    },
    optimizeDeps: {
      exclude: ['@sqlite.org/sqlite-wasm'],
      include: ['canonicalize', 'comlink', 'zod'],
    },
    worker: { format: 'es' },
    server: { host: 'localhost', port: 0, fs: { allow: [repositoryRoot] } },
  });
  browser = await openBrowser();
});

afterEach(async () => {
  await browser.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

async function edit(page: Page, n: number, closes: boolean): Promise<void> {
  await writeFile(join(folder, 'client.js'), makeModule(n, closes));
  await expect.poll(() => page.evaluate('window.edit'), { timeout: EDIT_DEADLINE_MS }).toBe(n);
}

async function openPage(closes: boolean): Promise<Page> {
  await writeFile(join(folder, 'client.js'), makeModule(0, closes));
  await server.listen();
  const page = await browser.context.newPage();
  await page.goto(server.resolvedUrls?.local[0] ?? '');
  await expect.poll(() => page.evaluate('window.edit'), { timeout: EDIT_DEADLINE_MS }).toBe(0);
  await page.evaluate('window.isTheSamePage = true');
  return page;
}

/** The living workers and sessions of the database: each holds a lock. */
async function countLiving(page: Page): Promise<{ workers: number; sessions: number }> {
  const { held = [] } = await page.evaluate(() => navigator.locks.query());
  const count = (prefix: string): number => held.filter(({ name }) => name?.startsWith(prefix)).length;
  return { workers: count('tidelock/hot/worker/'), sessions: count('tidelock/hot/session/') };
}

/** Opens the workspace in the client that was made last, and appends. */
function append(page: Page, n: number): Promise<unknown> {
  return page.evaluate(`window.joined.at(-1).then(async (tide) => {
    await tide.workspaces.open('w-1', { userId: 'u-1', tenantId: 't-1' });
    await tide.mutate('append', { tab: 'hot', n: ${String(n)} });
    return tide.query('count', {});
  })`);
}

describe('a module that is replaced while its page stays', () => {
  test('and closes its client then leaves one client and one worker after each edit, with all data', async () => {
    const page = await openPage(true);
    expect(await append(page, 0)).toBe(1);
    for (let n = 1; n <= 3; n++) {
      await edit(page, n, true);
      expect(await append(page, n)).toBe(n + 1);
      await expect.poll(() => countLiving(page), { timeout: 10_000 }).toEqual({ workers: 1, sessions: 1 });
    }
    expect(await page.evaluate('window.isTheSamePage'), 'it was never loaded again').toBe(true);
    expect(await page.evaluate('window.joined.length')).toBe(4);
    const ends = await page.evaluate(
      `Promise.all(window.joined.map((joined) => joined.then((tide) => tide.status.connection)))`,
    );
    expect(ends).toEqual(['closed', 'closed', 'closed', 'connected']);
  });

  test('and does not close it leaves the old client beside the new one, both in order', async () => {
    const page = await openPage(false);
    expect(await append(page, 0)).toBe(1);
    await edit(page, 1, false);
    expect(await append(page, 1)).toBe(2);
    expect(await page.evaluate(`window.joined[0].then((tide) => tide.query('count', {}))`)).toBe(2);
    await expect.poll(() => countLiving(page), { timeout: 10_000 }).toEqual({ workers: 2, sessions: 2 });
  });
});
