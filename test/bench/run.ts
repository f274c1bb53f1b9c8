/**
 * `npm run bench`: durable calls through the public API beside a peer, in one run, in tabs of one profile on disk.
 * Then the same calls on the stores alone, with a short and a long history. Times depend on the machine; the ratios
 * within the run are what counts. Nothing here passes or fails.
 */
import { createServer } from 'vite';
import type { Page } from 'playwright';
import { openBrowser } from '../support/open-browser';
import { repositoryRoot } from '../support/repository-root';
import { runHistoryTrial } from './history/history-trial';
import { quantile, round } from './quantile';
import type { Bench } from './page/main';

const TABS = 4;
const IN_FLIGHT = 64;
const SEQUENTIAL_CALLS = 300;
const WARM_UP_CALLS = 30;
const DURATION_MS = 4_000;
/** Contenders take turns, so that a machine that slows down slows both. */
const ROUNDS = 3;
const CONTENDERS = ['tidelock', 'dexie'] as const;

interface Measurement {
  readonly times: number[];
  readonly rates: number[];
}

type BenchCall = <K extends keyof Bench>(
  page: Page,
  method: K,
  ...args: Parameters<Bench[K]>
) => Promise<Awaited<ReturnType<Bench[K]>>>;

const call: BenchCall = (page, method, ...args) =>
  page.evaluate(
    ([name, list]) =>
      (globalThis as unknown as { bench: Record<string, (...all: unknown[]) => never> }).bench[name]?.(
        ...list,
      ),
    [method, args] as const,
  ) as never; // the page's `bench` is the imported type; Playwright copies its results

async function measure(pages: readonly Page[], kind: string, into: Measurement): Promise<void> {
  const [first] = pages;
  if (first === undefined) throw new RangeError('no tabs');
  await call(first, 'oneAtATime', kind, WARM_UP_CALLS);
  into.times.push(...(await call(first, 'oneAtATime', kind, SEQUENTIAL_CALLS)));
  const counts = await Promise.all(
    pages.map((page) => call(page, 'inFlight', kind, IN_FLIGHT / pages.length, DURATION_MS)),
  );
  into.rates.push((counts.reduce((sum, count) => sum + count, 0) / DURATION_MS) * 1_000);
}

async function main(): Promise<void> {
  const server = await createServer({
    configFile: `${repositoryRoot}/vite.config.ts`,
    root: repositoryRoot,
    logLevel: 'error',
    // Nothing may reload a page in the middle: no file watched, no dependency found late, no other server's cache.
    cacheDir: `${repositoryRoot}/node_modules/.vite-bench`,
    optimizeDeps: { include: ['dexie'], noDiscovery: true },
    server: { host: '127.0.0.1', port: 0, watch: null },
  });
  const browser = await openBrowser();
  try {
    await server.listen();
    const url = new URL('/test/bench/page/index.html', server.resolvedUrls?.local[0]).href;
    const pages = await Promise.all(Array.from({ length: TABS }, () => browser.context.newPage()));
    const results = new Map<string, Measurement>(CONTENDERS.map((kind) => [kind, { times: [], rates: [] }]));
    for (const page of pages) {
      await page.goto(url);
      await page.waitForFunction('globalThis.bench !== undefined');
      for (const kind of CONTENDERS) await call(page, 'open', kind, `bench-${kind}`);
    }
    for (let round = 0; round < ROUNDS; round++) {
      for (const [kind, into] of results) await measure(pages, kind, into);
    }
    report(results);
  } finally {
    await browser.close();
    await server.close();
  }
}

function report(results: ReadonlyMap<string, Measurement>): void {
  const rows = [...results].map(([kind, { times, rates }]) => ({
    contender: kind,
    'p50 one at a time, ms': round(quantile(times, 0.5)),
    'p99, ms': round(quantile(times, 0.99)),
    [`${String(IN_FLIGHT)} in flight over ${String(TABS)} tabs, per s`]: Math.round(quantile(rates, 0.5)),
  }));
  console.log(
    `Durable calls: look, insert, commit. ${String(ROUNDS)} rounds in turn, Chromium, profile on disk.`,
  );
  console.table(rows);
  const [ours, peer] = CONTENDERS.map((kind) => results.get(kind));
  if (ours === undefined || peer === undefined) return;
  console.log(
    `tidelock / dexie: p50 ×${String(round(quantile(ours.times, 0.5) / quantile(peer.times, 0.5)))}, rate ×${String(round(quantile(ours.rates, 0.5) / quantile(peer.rates, 0.5)))}`,
  );
}

await main();
await runHistoryTrial();
