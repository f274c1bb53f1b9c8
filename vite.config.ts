/**
 * One configuration for the demo's development server and the test projects:
 *
 *   node     test/**, in Node: pure code, and stores over SQLite in memory
 *   browser  test/browser/**, in Chromium: workers, OPFS, locks, real tabs
 *   firefox  what of these is about tabs, in Firefox; `npm run test:firefox`
 *   e2e      test/e2e/** and test/packed/**, in Node, driving Chromium over the demo and the packed library
 *   webkit   test/webkit/**, in Node, driving WebKitGTK; no part of `npm test`, see test/run-webkit.ts
 *
 * `COI=1` serves everything cross-origin isolated, which the library must not need and must not mind.
 * `TABS=full` repeats what happens at random moments as often as it takes to be sure; see test/support/times.ts.
 */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { playwright } from '@vitest/browser-playwright';
import type { LaunchOptions } from 'playwright';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { commands } from './test/browser/commands.ts';
import { bundlePages } from './test/browser/support/bundle-pages.ts';
import { ISOLATION_HEADERS, isolatePages } from './test/browser/support/isolate-pages.ts';
import { chromiumOptions } from './test/support/chromium-options.ts';
import { findChromium } from './test/support/find-chromium.ts';
import { findFirefox } from './test/support/find-firefox.ts';
import { firefoxOptions } from './test/support/firefox-options.ts';

const repository = fileURLToPath(new URL('.', import.meta.url));
const inRepository = (path: string): string => join(repository, path);

const headers = process.env['COI'] === '1' ? ISOLATION_HEADERS : {};

const isThorough = process.env['TABS'] === 'full';

const profiles = freshProfiles();

/** Bundled once, whichever projects run. */
const pages = bundlePages({
  root: repository,
  pages: [
    ...['clients', 'ledger', 'notes'].map((name) => `test/browser/pages/${name}.ts`),
    'test/browser/storage/storage.worker.ts',
  ],
});

/** That tabs are real, and what goes wrong between them; a new file belongs here once it was seen in Firefox. */
const FIREFOX_TESTS = ['test/browser/tabs.test.ts', 'test/browser/scenarios/{0?,1[0-4],28,29,3?}-*.test.ts'];

/** `npm start` puts its own port here; a sync server started by hand uses this one. */
const syncServer = process.env['SYNC_SERVER'] ?? 'http://127.0.0.1:8787';

export default defineConfig(({ mode }) => ({
  // Vitest needs the repository as its root; the demo's pages are at `/` and `/lab.html` of the development server.
  root: mode === 'test' ? repository : inRepository('demo'),
  cacheDir: inRepository('node_modules/.vite'),
  resolve: {
    alias: [
      { find: /^tidelock$/, replacement: inRepository('src/index.ts') },
      { find: /^tidelock\/worker$/, replacement: inRepository('worker/index.ts') },
    ],
  },
  // Prebundling would move SQLite's module away from its WASM. The others are named so that no dependency is
  // discovered late: that makes Vite reload the page in the middle of whatever it was doing.
  optimizeDeps: { exclude: ['@sqlite.org/sqlite-wasm'], include: ['canonicalize', 'comlink', 'zod'] },
  worker: { format: 'es' },
  server: {
    headers,
    // A test run sees the files as they were when it started.
    watch: mode === 'test' ? null : {},
    fs: { allow: [repository] },
    proxy: { '/sync': { target: syncServer, changeOrigin: true, ws: true } },
  },
  preview: { headers },
  build: {
    outDir: inRepository('.cache/demo'),
    emptyOutDir: true,
    rolldownOptions: { input: ['index.html', 'lab.html'].map((page) => inRepository(`demo/${page}`)) },
  },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: ['test/browser/**', 'test/e2e/**', 'test/packed/**', 'test/webkit/**'],
          environment: 'node',
          typecheck: { enabled: true, tsconfig: 'test/tsconfig.json', include: ['test/**/*.test-d.ts'] },
        },
      },
      inBrowser({
        name: 'browser',
        include: ['test/browser/**/*.test.ts'],
        browser: 'chromium',
        launchOptions: chromiumOptions(findChromium()),
      }),
      inBrowser({
        name: 'firefox',
        include: FIREFOX_TESTS,
        browser: 'firefox',
        launchOptions: firefoxOptions(findFirefox()),
      }),
      {
        extends: true,
        test: {
          name: 'e2e',
          provide: { isThorough },
          include: ['test/e2e/**/*.test.ts', 'test/packed/**/*.test.ts'],
          environment: 'node',
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 240_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'webkit',
          include: ['test/webkit/**/*.test.ts'],
          environment: 'node',
          // Each file has a browser of its own.
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
}));

interface BrowserProject {
  readonly name: string;
  readonly include: readonly string[];
  readonly browser: 'chromium' | 'firefox';
  readonly launchOptions: LaunchOptions;
}

/** Tests that run in a page of this browser, and open tabs beside it. */
function inBrowser({
  name,
  include,
  browser,
  launchOptions,
}: BrowserProject): TestProjectInlineConfiguration {
  return {
    extends: true,
    plugins: [isolatePages(), pages],
    test: {
      name,
      provide: { isThorough },
      include: [...include],
      setupFiles: ['test/browser/support/setup.ts'],
      // Reached only by what hangs: eight tabs that load at once on two busy cores take most of it.
      testTimeout: 45_000,
      // A persistent profile is what makes OPFS file-backed, and it cannot be shared by parallel files.
      fileParallelism: false,
      browser: {
        enabled: true,
        headless: true,
        screenshotFailures: false,
        commands,
        instances: [
          { browser, provider: playwright({ launchOptions, persistentContext: join(profiles, browser) }) },
        ],
      },
    },
  };
}

/** A folder for the profiles of this run's browsers; removed when this process ends. */
function freshProfiles(): string {
  const path = join(tmpdir(), `tidelock-vitest-${String(process.pid)}`);
  rmSync(path, { recursive: true, force: true });
  process.once('exit', () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}
