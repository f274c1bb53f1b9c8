import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { corsHeaders } from './cors';
import { FaultSwitches } from './faults';
import { unwanted } from './parse';
import { readJsonBody } from './read-body';
import { replyWithError, type Reply } from './reply';
import { createRoutes, mustFindHandler, mustFindMethods, type Routes } from './routes';
import { SyncStore } from './sync-store';

/** Where the demo's upstream keeps its data unless told otherwise. */
export const DEFAULT_JOURNAL_PATH = fileURLToPath(new URL('./data/journal.ndjson', import.meta.url));
const HOST = '127.0.0.1';

export interface SyncServerOptions {
  /** 0, the default, takes any free one. */
  readonly port?: number;
  readonly journalPath: string;
  /** False applies repeated operations again. Default true. */
  readonly dedupe?: boolean;
}

export interface SyncServer {
  readonly url: string;
  readonly port: number;
  /** Cuts what is open, answers held back included, and closes the journal. May be called twice. */
  close(): Promise<void>;
}

/**
 * Starts the demo's upstream on 127.0.0.1. The caller closes it.
 *
 * @throws JournalError when the journal is damaged; the system's error when the port or the file cannot be had.
 */
export async function startSyncServer(options: SyncServerOptions): Promise<SyncServer> {
  const store = SyncStore.open(options.journalPath, { dedupe: options.dedupe ?? true });
  const routes = createRoutes(store, new FaultSwitches());
  const server = createServer((request, response) => void serve(routes, request, response));
  // Chromium silently sends a request again, POST included, when a connection it has used before is cut (measured: 10
  // of 10), so no lost answer would ever reach the page. Hence one request a connection.
  server.maxRequestsPerSocket = 1;
  try {
    const port = await listen(server, options.port ?? 0);
    let closing: Promise<void> | undefined;
    return { url: `http://${HOST}:${port}`, port, close: () => (closing ??= close(server, store)) };
  } catch (error) {
    store.close();
    throw error;
  }
}

/** Never rejects: what goes wrong is an answer, or the connection is gone and nobody listens. */
async function serve(routes: Routes, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let reply: Reply;
  try {
    reply = await handle(routes, request);
  } catch (error) {
    if (request.destroyed && !request.complete) return;
    reply = replyWithError(error);
  }
  deliver(reply, response, corsHeaders(request.headers.origin));
}

async function handle(routes: Routes, request: IncomingMessage): Promise<Reply> {
  const url = parseUrl(request.url ?? '');
  const method = request.method ?? '';
  if (method === 'OPTIONS') {
    mustFindMethods(routes, url.pathname);
    return { status: 204, body: null, delivery: 0 };
  }
  const handler = mustFindHandler(routes, url.pathname, method);
  const body = method === 'POST' ? await readJsonBody(request) : undefined;
  return handler({ query: url.searchParams, body });
}

function deliver(reply: Reply, response: ServerResponse, cors: Readonly<Record<string, string>>): void {
  if (response.destroyed) return;
  if (reply.delivery === 'lose') {
    response.destroy();
    return;
  }
  const send = (): void => {
    const text = reply.body === null ? '' : JSON.stringify(reply.body);
    response.writeHead(reply.status, {
      ...(reply.body === null ? {} : { 'content-type': 'application/json; charset=utf-8' }),
      'cache-control': 'no-store',
      ...cors,
      ...reply.headers,
    });
    response.end(text);
  };
  if (reply.delivery === 0) {
    send();
    return;
  }
  const timer = setTimeout(send, reply.delivery);
  response.once('close', () => clearTimeout(timer));
}

function parseUrl(target: string): URL {
  try {
    return new URL(target, `http://${HOST}`);
  } catch {
    throw unwanted(target, 'url', 'a path');
  }
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

async function close(server: Server, store: SyncStore): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
  store.close();
}
