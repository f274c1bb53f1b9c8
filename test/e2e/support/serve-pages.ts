import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { bundle } from '../../browser/support/bundle-pages';
import { repositoryRoot } from '../../support/repository-root';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
};
const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

export interface ServedPages {
  /** A page that has the module's exports as `page`, a promise. */
  urlOf(name: string): string;
  close(): Promise<void>;
}

/** Bundles page modules of `test/browser/pages` and serves each in an empty page; isolated with `COI=1`. The caller closes it. */
export async function servePages(names: readonly string[]): Promise<ServedPages> {
  const folder = await mkdtemp(join(tmpdir(), 'tidelock-pages-'));
  await bundle(
    repositoryRoot,
    folder,
    names.map((name) => `test/browser/pages/${name}.ts`),
  );
  const headers = process.env['COI'] === '1' ? ISOLATION : {};
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://test').pathname;
    const answering = path.endsWith('.html') ? Promise.resolve(pageOf(path)) : readFile(join(folder, path));
    answering.then(
      (body) => response.writeHead(200, { ...headers, 'content-type': TYPES[extname(path)] }).end(body),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    urlOf: (name) => `http://localhost:${String(port)}/${name}.html`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function pageOf(path: string): string {
  const module = JSON.stringify(path.replace(/\.html$/, '.js'));
  return `<!doctype html><title>tab</title><link rel="icon" href="data:," />
<script>globalThis.page = import(${module});</script>`;
}
