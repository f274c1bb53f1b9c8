/**
 * dist/index.js     what a tab loads: Comlink inside, nothing else; minified
 * dist/worker.js    what runs beside SQLite: everything inside but zod, which the app's own schemas must share
 * dist/sqlite3.wasm beside it, found through the literal `new URL('./sqlite3.wasm', import.meta.url)`
 * dist/*.d.ts       bundled from the declarations `tsc -p .build` made
 *
 * Vite's library mode is no use here: it inlines the WASM as base64 and breaks the URL of the worker.
 */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { defineConfig, type UserConfig } from 'tsdown';
import { cutSqlite } from './cut-sqlite';

const wasm = createRequire(import.meta.url).resolve('@sqlite.org/sqlite-wasm/sqlite3.wasm');

const shared = {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  format: 'esm',
  platform: 'browser',
  // Older than any browser that has OPFS access handles, so nothing is lowered that need not be.
  target: 'es2022',
  outDir: 'dist',
  fixedExtension: false,
  hash: false,
  clean: true,
  failOnWarn: true,
  // Licences stay; half of the text would be SQLite's comments.
  outputOptions: { comments: { legal: true, annotation: true, jsdoc: false } },
} satisfies UserConfig;

export default defineConfig([
  {
    ...shared,
    name: 'tab',
    entry: { index: 'src/index.ts' },
    dts: false,
    // Small is a promise here, also to pages without a bundler. The worker stays readable: SQLite outweighs it.
    minify: true,
    deps: { onlyBundle: ['comlink'] },
  },
  {
    ...shared,
    name: 'worker',
    entry: { worker: 'worker/index.ts' },
    dts: false,
    deps: {
      neverBundle: ['zod'],
      onlyBundle: ['comlink', 'canonicalize', '@sqlite.org/sqlite-wasm'],
    },
    plugins: [cutSqlite()],
    copy: [{ from: wasm, to: 'dist' }],
  },
  {
    ...shared,
    name: 'types',
    entry: { index: './.cache/types/src/index.d.ts', worker: './.cache/types/worker/index.d.ts' },
    dts: { dtsInput: true, emitDtsOnly: true },
    // What both entries mention goes into a file of its own.
    outputOptions: { chunkFileNames: 'shared.d.ts' },
    deps: { neverBundle: ['zod'], onlyBundle: [] },
  },
]);
