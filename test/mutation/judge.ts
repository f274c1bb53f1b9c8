/**
 * A process that judges mutants, one after the other: it runs the recorded traces and then the stores' tests with one
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
import { findFailingTest, VITEST } from './collector';
import { Watchdog } from './watchdog';

export interface Case {
  /** The file that is replaced, from the repository's root; null judges the sources as they are. */
  readonly replaced: { readonly path: string; readonly text: string } | null;
  readonly testFiles: readonly string[];
  /** More than this of the processor, and the judge kills itself: the mutant hangs. */
  readonly budgetMs: number;
}

export interface Verdict {
  /** What failed first, or null where the mutant survives. */
  readonly killedBy: string | null;
  /** Milliseconds of the traces and of each test file that was run. */
  readonly times: Readonly<Record<string, number>>;
  /** What it all took of the processor. */
  readonly cpuMs: number;
}

const HOST = Symbol.for('tidelock.mutation');
const COLLECTOR = '\0collector';
const LOADER = join(repositoryRoot, 'worker/sqlite/load-sqlite.ts');

Object.assign(globalThis, { [HOST]: { loadSqlite, VITEST } });
// The first counterexample says enough.
fc.configureGlobal({ endOnFailure: true });

const traces = [...readTraces(join(repositoryRoot, 'test/conformance/traces.ndjson.gz'))].toSorted(
  (a, b) => sizeOf(a) - sizeOf(b),
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
    return failure === null ? null : `${name}: ${failure}`;
  };
  try {
    const load = async <T>(path: string): Promise<T> => runner.import<T>(join(repositoryRoot, path));
    let killedBy = await time('traces', () => findFailingTrace(load));
    for (const file of given.testFiles) {
      killedBy ??= await time(file, () => findFailingTest(() => load(file)));
    }
    return { killedBy, times, cpuMs: stopWatching() };
  } finally {
    await runner.close();
  }
}

async function findFailingTrace(load: <T>(path: string) => Promise<T>): Promise<string | null> {
  try {
    const { runTrace } = await load<typeof Runner>('test/conformance/runner.ts');
    const { openMemory } = await load<typeof Memory>('worker/sqlite/open-memory.ts');
    for (const trace of traces) {
      if (runTrace(trace, await openMemory()) !== undefined) return trace.name;
    }
    return null;
  } catch (error) {
    return String(error);
  }
}

function sizeOf(trace: Trace): number {
  const repeated = trace.steps.map(({ input }) =>
    typeof input === 'object' && input !== null && 'times' in input ? Number(input.times) : 1,
  );
  return repeated.reduce((sum, times) => sum + times, 0);
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
