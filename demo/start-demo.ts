import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createServer, type ViteDevServer } from 'vite';
import { DEFAULT_JOURNAL_PATH, startSyncServer, type SyncServer } from './server/server';

const CONFIG_PATH = fileURLToPath(new URL('../vite.config.ts', import.meta.url));
const HOST = '127.0.0.1';
const DEFAULT_PORT = 5173;

export interface StartDemoOptions {
  /** The page server's port; taken, the next free one. 0 takes any. Default 5173. */
  readonly port?: number;
  /** Where the sync server keeps its data. Default: beside its source. */
  readonly journalPath?: string;
  /** False lets the sync server apply repeated operations again. Default true. */
  readonly dedupe?: boolean;
  /** Forgets what the sync server knew. Default false. */
  readonly fresh?: boolean;
  /** Vite's own output: `info` for people, `silent` for tests. Default `silent`. */
  readonly logLevel?: 'info' | 'silent';
}

export interface Demo {
  /** The demo page, for example `http://localhost:5173/`. */
  readonly url: string;
  readonly labUrl: string;
  readonly syncUrl: string;
  /** Ends both servers. May be called twice. */
  close(): Promise<void>;
}

/**
 * Starts the demo: its sync server, and the pages with `/sync` passed on to it. The caller closes it.
 *
 * @throws the error of whichever server could not start; nothing is left running.
 */
export async function startDemo(options: StartDemoOptions = {}): Promise<Demo> {
  const journalPath = options.journalPath ?? DEFAULT_JOURNAL_PATH;
  if (options.fresh === true) await rm(journalPath, { force: true });
  const sync = await startSyncServer({ port: 0, journalPath, dedupe: options.dedupe ?? true });
  try {
    const pages = await startPages(sync, options);
    let closing: Promise<void> | undefined;
    const origin = `http://localhost:${String(portOf(pages))}`;
    return {
      url: `${origin}/`,
      labUrl: `${origin}/lab.html`,
      syncUrl: sync.url,
      close: () => (closing ??= closeBoth(pages, sync)),
    };
  } catch (error) {
    await sync.close();
    throw error;
  }
}

async function startPages(sync: SyncServer, options: StartDemoOptions): Promise<ViteDevServer> {
  const port = options.port ?? DEFAULT_PORT;
  const pages = await createServer({
    configFile: CONFIG_PATH,
    logLevel: options.logLevel ?? 'silent',
    clearScreen: false,
    server: { host: HOST, port, strictPort: false, proxy: { '/sync': { target: sync.url } } },
  });
  try {
    return await pages.listen();
  } catch (error) {
    await pages.close();
    throw error;
  }
}

function portOf(pages: ViteDevServer): number {
  const address = pages.httpServer?.address();
  if (address === null || address === undefined || typeof address === 'string')
    throw new Error('The page server has no port.');
  return address.port;
}

async function closeBoth(pages: ViteDevServer, sync: SyncServer): Promise<void> {
  await Promise.all([pages.close(), sync.close()]);
}
