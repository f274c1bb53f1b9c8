import { describe, expect, test } from 'vitest';
import { findSourceFiles, parseImports, readImports, type Import } from '../support/imports';

/**
 * Which part may import which: everything that is not listed is forbidden. A part is a folder or an entry file; a name
 * starting with `type:` allows imports that are gone once types are erased. Reading the list top-down, imports only
 * ever point up.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  // What a tab loads, and the pure code both sides share.
  'src/domain': ['canonicalize'],
  'src/protocol': ['src/domain'],
  'src/platform': [],
  'src/transport': ['src/domain', 'src/protocol', 'src/platform', 'comlink'],
  'src/election': ['src/domain', 'src/protocol', 'src/platform', 'src/transport'],
  'src/client': [
    'src/domain',
    'src/protocol',
    'src/platform',
    'src/transport',
    'src/election',
    'type:worker/*',
  ],
  'src/index': ['src/domain', 'src/protocol', 'src/client', 'type:src/election'],

  // What runs beside SQLite. One folder knows the engine; the others know `worker/database`.
  migrations: [],
  'worker/database': ['src/domain'],
  'worker/sqlite': ['src/domain', 'worker/database', '@sqlite.org/sqlite-wasm'],
  'worker/stores': ['src/domain', 'src/protocol', 'worker/database'],
  'worker/scheduler': ['src/domain', 'src/protocol', 'worker/database'],
  'worker/app': ['src/domain', 'src/protocol', 'type:worker/sqlite', 'zod'],
  'worker/gateway': [
    'src/domain',
    'src/protocol',
    'worker/database',
    'worker/sqlite',
    'worker/stores',
    'worker/scheduler',
    'worker/app',
    'zod',
  ],
  'worker/host': [
    'src/domain',
    'src/protocol',
    'src/platform',
    'src/transport',
    'src/election',
    'migrations',
    'worker/database',
    'worker/sqlite',
    'worker/stores',
    'worker/scheduler',
    'worker/app',
    'worker/gateway',
  ],
  // The one file of its folder that starts things.
  'worker/app/define-worker': [
    'src/domain',
    'src/protocol',
    'type:worker/sqlite',
    'worker/app',
    'worker/host',
  ],
  'worker/index': ['type:worker/database', 'type:worker/sqlite', 'worker/app', 'worker/app/define-worker'],

  // The demo is an app like any other: it sees the two public entries, its own files, and its schemas' library.
  'demo/server': ['node:*'],
  demo: ['tidelock', 'tidelock/worker', 'zod'],
};

/** Node's side of the demo: they start servers, and are no part of what a browser loads. */
const LAUNCHERS = ['demo/start.ts', 'demo/start-demo.ts'];

function partOf(path: string): string {
  const known = Object.keys(ALLOWED)
    .filter((part) => path === part || path === `${part}.ts` || path.startsWith(`${part}/`))
    .toSorted((a, b) => b.length - a.length);
  return known[0] ?? path;
}

function isAllowed({ from, to, isTypeOnly }: Import): boolean {
  const target = partOf(to);
  if (partOf(from) === target) return true;
  const rules = ALLOWED[partOf(from)] ?? [];
  return rules.some((rule) => {
    const pattern = rule.startsWith('type:') ? rule.slice('type:'.length) : rule;
    if (rule.startsWith('type:') && !isTypeOnly) return false;
    return pattern.endsWith('*') ? target.startsWith(pattern.slice(0, -1)) : target === pattern;
  });
}

function describeEdge({ from, to, isTypeOnly }: Import): string {
  return `${from} imports ${isTypeOnly ? 'a type of ' : ''}${to}`;
}

const files = ['src', 'worker', 'migrations', 'demo']
  .flatMap((folder) => findSourceFiles(folder))
  .filter((file) => !LAUNCHERS.includes(file));
const imports = files.flatMap(readImports);

describe('the direction of imports', () => {
  test('every source file belongs to a part of the table', () => {
    expect(files.filter((file) => ALLOWED[partOf(file)] === undefined)).toEqual([]);
  });

  test('no file imports what its part may not', () => {
    expect(imports.filter((edge) => !isAllowed(edge)).map(describeEdge)).toEqual([]);
  });

  test('nothing that a tab loads reaches the worker, SQLite or zod', () => {
    const reached = imports.filter(
      ({ from, to, isTypeOnly }) =>
        from.startsWith('src/') && !isTypeOnly && /^(worker|migrations|@sqlite\.org|zod)/.test(to),
    );
    expect(reached.map(describeEdge)).toEqual([]);
  });

  test('the table is read as written: a forbidden edge of each kind is found', () => {
    const text = [
      `import { openOpfs } from '../../worker/sqlite/open-opfs';`,
      `import type { Port } from '../../worker/gateway/port';`,
      `export { z } from 'zod';`,
      `const later = import('../client/tide');`,
      `type Late = typeof import('../transport/writer-link');`,
      `new Worker(new URL('../../worker/index.ts', import.meta.url));`,
      `import { TidelockError } from '../domain/tidelock-error';`,
    ].join('\n');
    const found = parseImports('src/protocol/probe.ts', text);
    expect(found.filter((edge) => !isAllowed(edge)).map(describeEdge)).toEqual([
      'src/protocol/probe.ts imports worker/sqlite/open-opfs',
      'src/protocol/probe.ts imports a type of worker/gateway/port',
      'src/protocol/probe.ts imports zod',
      'src/protocol/probe.ts imports src/client/tide',
      'src/protocol/probe.ts imports a type of src/transport/writer-link',
      'src/protocol/probe.ts imports worker/index',
    ]);
  });
});
