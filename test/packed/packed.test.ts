/** The library as npm would publish it, in an app that has configured nothing. Needs `npm run build` before. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseImports, readImports } from '../support/imports';
import { openBrowser, type OpenBrowser } from '../support/open-browser';
import { repositoryRoot } from '../support/repository-root';
import { createPackedApp, type PackedApp } from './packed-app';

/** Tabs load this on every page view. The goal is 8 kB; the limit keeps it from growing unseen. */
const TAB_ENTRY_LIMIT_BYTES = 17 * 1024;

const shown = z.object({
  found: z.array(z.object({ id: z.string(), text: z.string() })),
  storage: z.string().nullable(),
});

let app: PackedApp;
let browser: OpenBrowser;

beforeAll(async () => {
  app = await createPackedApp();
  browser = await openBrowser();
});

afterAll(async () => {
  await browser.close();
  await app.remove();
});

/** Loads the page and returns what it found in the database, and what went wrong on the way. */
async function loadPage(url: string): Promise<{ texts: string[]; storage: string | null; errors: string[] }> {
  const page = await browser.context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  try {
    await page.goto(url);
    await page.waitForFunction('document.querySelector("output")?.textContent', undefined, {
      timeout: 30_000,
    });
    const { found, storage } = shown.parse(JSON.parse(await page.innerText('output')));
    return { texts: found.map((note) => note.text), storage, errors };
  } catch (error) {
    throw new Error(`The page did not get to its end. Its errors: ${errors.join('; ') || 'none'}`, {
      cause: error,
    });
  } finally {
    await page.close();
  }
}

/** Favicons are asked for by the browser, not by the app. */
function withoutFavicon(errors: readonly string[]): string[] {
  return errors.filter((error) => !/404/.test(error));
}

describe('the packed library', () => {
  test('the tarball holds the built files, their types, and the papers', () => {
    expect(app.packedFiles.filter((file) => !/^(README|CHANGELOG)\.md$/.test(file))).toEqual([
      'LICENSE',
      'dist/index.d.ts',
      'dist/index.js',
      'dist/shared.d.ts',
      'dist/sqlite3.wasm',
      'dist/worker.d.ts',
      'dist/worker.js',
      'package.json',
    ]);
  });

  test('the tab entry is small and has no dependency', async () => {
    const text = await readFile(join(repositoryRoot, 'dist/index.js'), 'utf8');
    const bytes = gzipSync(text, { level: 9 }).byteLength;
    console.log(`dist/index.js: ${String(bytes)} bytes gzipped`);
    expect(bytes).toBeLessThan(TAB_ENTRY_LIMIT_BYTES);
    expect(parseImports('dist/index.js', text)).toEqual([]);
  });

  test('the worker entry needs zod and nothing else, and names one asset and no worker', async () => {
    const text = await readFile(join(repositoryRoot, 'dist/worker.js'), 'utf8');
    expect(parseImports('dist/worker.js', text).map(({ to }) => to)).toEqual(['zod', 'dist/sqlite3.wasm']);
    expect(text).toContain('new URL("./sqlite3.wasm", import.meta.url)');
    expect(text).not.toContain('new Worker(');
  });

  test('nothing of the types is left to the consumer but zod', () => {
    const packages = ['index', 'worker', 'shared']
      .flatMap((name) => readImports(`dist/${name}.d.ts`))
      .map(({ to }) => to)
      .filter((to) => !to.startsWith('dist/'));
    expect([...new Set(packages)]).toEqual(['zod']);
  });

  test('an app is checked against its types, strictly and with the library’s own declarations checked', async () => {
    const tsc = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
    expect(await app.run('node', [tsc, '-p', '.'])).toBe('');
  });

  test('both entries can be imported where there is neither page nor worker', async () => {
    const script = `await import('tidelock'); await import('tidelock/worker'); console.log('imported');`;
    expect(await app.run('node', ['--input-type=module', '--eval', script])).toBe('imported\n');
  });

  test('Vite builds it unconfigured: one worker, one WASM, and what is written survives a reload', async () => {
    await app.run('vite', ['build']);
    const assets = await readdir(join(app.folder, 'dist/assets'));
    expect(assets.filter((name) => name.endsWith('.wasm'))).toHaveLength(1);
    expect(assets.filter((name) => name.endsWith('.js'))).toHaveLength(2);
    const server = await app.serve('vite', ['preview', '--port', '0']);
    try {
      const first = await loadPage(server.url);
      expect({ ...first, errors: withoutFavicon(first.errors) }).toEqual({
        texts: [],
        storage: 'opfs',
        errors: [],
      });
      const second = await loadPage(server.url);
      expect(second.texts).toEqual(['written before a reload']);
    } finally {
      await server.stop();
    }
  });

  test('Vite serves it in development unconfigured, and what is written survives a reload', async () => {
    const server = await app.serve('vite', ['--port', '0']);
    try {
      // Vite may reload the page once, after it has found what to prebundle: then the first load already finds a note.
      const { texts: before } = await loadPage(server.url);
      const { texts: after } = await loadPage(server.url);
      expect(after.length).toBeGreaterThan(before.length);
      expect(new Set(after)).toEqual(new Set(['written before a reload']));
    } finally {
      await server.stop();
    }
  });
});
