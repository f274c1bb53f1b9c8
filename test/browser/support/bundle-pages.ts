/**
 * Bundles the page modules that tests open again and again, and serves them beside the test server's own files. Module
 * by module a tab with its worker asks the server for some hundred files, which takes most of a test's time.
 *
 *   test/browser/pages/ledger.ts ──vite build──▶ .cache/pages/ledger.js ──▶ /bundled/ledger.js
 */
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { build, type Plugin } from 'vite';

const BASE = '/bundled';
const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.wasm': 'application/wasm' };

export interface BundlePagesOptions {
  /** The repository's root. */
  readonly root: string;
  /** Paths of the page modules, from the root. */
  readonly pages: readonly string[];
}

export function bundlePages({ root, pages }: BundlePagesOptions): Plugin {
  const outDir = join(root, '.cache/pages');
  let bundling: Promise<unknown> | undefined;
  return {
    name: 'bundle-pages',
    apply: 'serve',
    configureServer: ({ middlewares, config }) => {
      // Vitest makes more than one server of a configuration.
      bundling ??= bundle(root, outDir, pages);
      const bundled = bundling;
      middlewares.use(BASE, (request, response) => {
        const path = new URL(request.url ?? '/', 'http://test').pathname;
        bundled
          .then(() => readFile(join(outDir, path)))
          .then((bytes) => {
            for (const [name, value] of Object.entries(config.server.headers ?? {}))
              if (value !== undefined) response.setHeader(name, value);
            response.setHeader('content-type', TYPES[extname(path)] ?? 'application/octet-stream');
            response.setHeader('cache-control', 'no-cache');
            response.end(bytes);
          })
          .catch(() => {
            response.statusCode = 404;
            response.end();
          });
      });
    },
  };
}

/** Writes each page module, with the worker files it names, to `outDir`. */
export async function bundle(root: string, outDir: string, pages: readonly string[]): Promise<void> {
  await build({
    configFile: false,
    root,
    base: './',
    publicDir: false,
    logLevel: 'error',
    resolve: {
      alias: [
        { find: /^tidelock$/, replacement: join(root, 'src/index.ts') },
        { find: /^tidelock\/worker$/, replacement: join(root, 'worker/index.ts') },
      ],
    },
    // The package says that its modules have no side effects; those of the tests do.
    worker: { format: 'es', rolldownOptions: { treeshake: false } },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'esnext',
      minify: false,
      modulePreload: false,
      rolldownOptions: {
        input: pages.map((page) => join(root, page)),
        treeshake: false,
        preserveEntrySignatures: 'strict',
        output: { entryFileNames: '[name].js' },
      },
    },
  });
}
