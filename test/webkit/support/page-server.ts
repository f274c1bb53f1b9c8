/**
 * Serves the bundled page modules to the browser, and hears what came of the work that was begun in a tab:
 *
 *   GET  /tab.html?module=/coordination.js     the empty page that every tab of the tests is
 *   GET  /<file>                               what the bundle wrote
 *   POST /answers/<id>                         JSON, for `onAnswer`
 */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { extname, join } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
};
const ANSWERS = '/answers/';

export interface PageServer {
  readonly origin: string;
  close(): Promise<void>;
}

export interface PageServerOptions {
  /** The folder of the bundle. */
  readonly folder: string;
  readonly tabPage: string;
  readonly onAnswer: (id: string, json: string) => void;
}

export async function startPageServer({ folder, tabPage, onAnswer }: PageServerOptions): Promise<PageServer> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://test');
    const answer = async (): Promise<void> => {
      if (request.method === 'POST' && pathname.startsWith(ANSWERS)) {
        onAnswer(pathname.slice(ANSWERS.length), await readBody(request));
        response.statusCode = 204;
        response.end();
        return;
      }
      const bytes = await readFile(pathname === '/tab.html' ? tabPage : join(folder, pathname));
      response.setHeader('content-type', TYPES[extname(pathname)] ?? 'application/octet-stream');
      response.setHeader('cache-control', 'no-cache');
      response.end(bytes);
    };
    answer().catch(() => {
      response.statusCode = 404;
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The page server has no port.');
  return {
    origin: `http://127.0.0.1:${String(address.port)}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding was set
  return Buffer.concat(chunks).toString('utf8');
}
