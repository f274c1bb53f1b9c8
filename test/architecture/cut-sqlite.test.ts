import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { cut } from '../../.build/cut-sqlite';
import { parseImports } from '../support/imports';

// Vitest resolves the package for Node; the browser's file lies beside the WASM.
const wasm = import.meta.resolve('@sqlite.org/sqlite-wasm/sqlite3.wasm');
const whole = readFileSync(fileURLToPath(new URL('./index.mjs', wasm)), 'utf8');

function assetsOf(text: string): string[] {
  return parseImports('sqlite.mjs', text).map(({ to }) => to);
}

describe('cutting sqlite-wasm', () => {
  test('the whole module names workers of its own; the cut one names its WASM only', () => {
    expect(whole).toContain('new Worker(');
    expect(assetsOf(cut(whole))).toEqual(['sqlite3.wasm']);
  });

  test('what is left still parses, and keeps the pool VFS', () => {
    expect(() => parseImports('sqlite.mjs', cut(whole))).not.toThrow();
    expect(cut(whole)).toContain('installOpfsSAHPoolVfs');
  });

  test('a module in which a part is missing is refused, by name', () => {
    const without = whole.replace('sqlite3.initWorker1API = ', 'sqlite3.initOtherAPI = ');
    expect(() => cut(without)).toThrow('found the deprecated Worker1 API 0 times, wanted once');
  });

  test('a module that was cut already is refused', () => {
    expect(() => cut(cut(whole))).toThrow('Cannot cut sqlite-wasm');
  });
});
