/**
 * A process that judges mutants, one after the other: it runs recorded traces and the stores' tests with one
 * file's text replaced, until something fails. Everything but the engine's WASM is evaluated anew for each. It kills
 * itself when a mutant does not come to an end.
 */
import { join } from 'node:path';
import fc from 'fast-check';
import { createServer, createServerModuleRunner, type Plugin, type ViteDevServer } from 'vite';
import { loadSqlite } from '../../worker/sqlite/load-sqlite';
import { readTraces } from '../conformance/read-traces';
import type * as Runner from '../conformance/runner';
import type { Trace } from '../conformance/trace';
import type * as Memory from '../../worker/sqlite/open-memory';
import { repositoryRoot } from '../support/repository-root';
import { TRACES, type CheckName } from './check-order';
import { findFailingTest, VITEST } from './collector';
import { Watchdog } from './watchdog';

export interface Case {
  /** The file that is replaced, from the repository's root; null judges the sources as they are. */
  readonly replaced: { readonly path: string; readonly text: string } | null;
  /** Recorded traces by `traces: <name>`, test files by their path; in the order in which they are run. */
  readonly checks: readonly CheckName[];
  /** More than this of the processor, and the judge kills itself: the mutant hangs. */
  readonly budgetMs: number;
}

export interface Verdict {
  /** What failed first, or null where the mutant survives. */
  readonly killedBy: string | null;
  /** Milliseconds of each check that was run. */
  readonly times: Readonly<Record<string, number>>;
  /** What it all took of the processor. */
  readonly cpuMs: number;
}

/** Of what failed, so much is kept. */
const FAILURE_MAX = 200;
const HOST = Symbol.for('tidelock.mutation');
const COLLECTOR = '\0collector';
const LOADER = join(repositoryRoot, 'worker/sqlite/load-sqlite.ts');

Object.assign(globalThis, { [HOST]: { loadSqlite, VITEST } });
// The first counterexample says enough.
fc.configureGlobal({ endOnFailure: true });

const traces = new Map(
  [...readTraces(join(repositoryRoot, 'test/conformance/traces.ndjson.gz'))].map((trace) => [
    `${TRACES}${trace.name}`,
    trace,
  ]),
);
let replaced: Case['replaced'] = null;
const server = await startServer();
const watchdog = new Watchdog();

process.on('message', (message: Case) => {
  judge(message).then(
    (verdict) => process.send?.(verdict),
    (error: unknown) => {
      throw error;
    },
  );
});
// Whoever asked is gone.
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function judge(given: Case): Promise<Verdict> {
  const times: Record<string, number> = {};
  const stopWatching = watchdog.watch(given.budgetMs);
  forget(replaced?.path);
  replaced = given.replaced;
  forget(replaced?.path);
  const runner = createServerModuleRunner(server.environments.ssr, {
    hmr: false,
    sourcemapInterceptor: false,
  });
  const time = async (name: string, work: () => Promise<string | null>): Promise<string | null> => {
    const startedMs = performance.now();
    const failure = await work();
    times[name] = performance.now() - startedMs;
    return failure === null ? null : `${name}: ${failure.split('\n')[0]?.slice(0, FAILURE_MAX)}`;
  };
  try {
    const load = async <T>(path: string): Promise<T> => runner.import<T>(join(repositoryRoot, path));
    let killedBy: string | null = null;
    for (const check of given.checks) {
      const trace = traces.get(check);
      killedBy ??= await time(check, () =>
        trace === undefined ? findFailingTest(() => load(check)) : findDifference(trace, load),
      );
    }
    return { killedBy, times, cpuMs: stopWatching() };
  } finally {
    await runner.close();
  }
}

async function findDifference(trace: Trace, load: <T>(path: string) => Promise<T>): Promise<string | null> {
  try {
    const { runTrace } = await load<typeof Runner>('test/conformance/runner.ts');
    const { openMemory } = await load<typeof Memory>('worker/sqlite/open-memory.ts');
    return runTrace(trace, await openMemory()) ?? null;
  } catch (error) {
    return String(error);
  }
}

function startServer(): Promise<ViteDevServer> {
  const plugin: Plugin = {
    name: 'mutant',
    enforce: 'pre',
    resolveId: (id) => (id === 'vitest' ? COLLECTOR : undefined),
    load: (id) => {
      const host = 'globalThis[Symbol.for("tidelock.mutation")]';
      if (id === COLLECTOR)
        return `export const { expect, test, describe, onTestFinished } = ${host}.VITEST;`;
      if (id === LOADER) return `export const loadSqlite = () => ${host}.loadSqlite();`;
      return replaced !== null && id === join(repositoryRoot, replaced.path) ? replaced.text : undefined;
    },
  };
  return createServer({
    configFile: false,
    root: repositoryRoot,
    logLevel: 'silent',
    appType: 'custom',
    plugins: [plugin],
    optimizeDeps: { noDiscovery: true },
    // Every other package is Node's own to load, once.
    ssr: { noExternal: ['vitest'] },
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  });
}

/** So that the file is loaded anew. */
function forget(path: string | undefined): void {
  if (path === undefined) return;
  const graph = server.environments.ssr.moduleGraph;
  const module = graph.getModuleById(join(repositoryRoot, path));
  if (module !== undefined) graph.invalidateModule(module);
}
