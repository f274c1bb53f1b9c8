import type { Rolldown } from 'tsdown';

/**
 * Cuts `@sqlite.org/sqlite-wasm` down to what the worker uses, so that the bundle is one self-contained file with one
 * asset beside it. Whole, the module starts workers of its own (`sqlite3-worker1.mjs`, `sqlite3-opfs-async-proxy.js`);
 * a consumer's bundler would follow those URLs and ship 650 kB that never runs.
 *
 * It works on the text of one pinned version, and every cut must match exactly once: a new version of the package
 * fails the build here and not in a user's browser.
 */
export function cutSqlite(): Rolldown.Plugin {
  return {
    name: 'tidelock:cut-sqlite',
    transform: {
      filter: { id: /@sqlite\.org\/sqlite-wasm\/dist\/index\.mjs$/ },
      handler: (code) => ({ code: cut(code), map: null }),
    },
  };
}

/** One `initializers.push(function (sqlite3) { … });`, which is how each part of the module is installed. */
const INITIALIZER =
  /^\t\tglobalThis\.sqlite3ApiBootstrap\.initializers\.push\(function\(sqlite3\) \{\n[\s\S]*?^\t\t\}\);\n/gm;

/** What tells an unwanted part from the others. Each stands in one initializer only. */
const UNWANTED_PARTS = {
  'the deprecated Worker1 API': 'sqlite3.initWorker1API = ',
  'storage in localStorage': 'sqlite3.config.disable?.vfs?.kvvfs',
  'what the two proxied VFSes share': 'sqlite3.opfs = Object.create',
  'the VFS "opfs"': 'const installOpfsVfs = ',
  'the VFS "opfs-wl"': 'const installOpfsWlVfs = ',
} as const;

/** What must be left: the pool VFS the library stores everything in. */
const WANTED_PART = 'sqlite3.config.disable?.vfs?.["opfs-sahpool"]';

const REPLACEMENTS = [
  {
    // The promiser has side effects at the top level, so no bundler drops it.
    what: 'the deprecated promiser',
    from: /^\/\/#region src\/bin\/sqlite3-worker1-promiser\.mjs\n[\s\S]*?^\/\/#endregion\n/m,
    to: '',
  },
  {
    what: "the promiser's export",
    from: /^\/\*\* @deprecated .*\nconst sqlite3Worker1Promiser\$1 = .*\n/m,
    to: '',
  },
  {
    what: "the promiser's name in the export list",
    from: 'as default, sqlite3Worker1Promiser$1 as sqlite3Worker1Promiser }',
    to: 'as default }',
  },
  {
    // The query of the worker's own URL could move the WASM elsewhere or turn on debug output.
    what: 'the settings taken from the query',
    from: 'globalThis?.location?.href ? new URL(globalThis.location.href).searchParams : new URLSearchParams()',
    to: 'new URLSearchParams()',
  },
  {
    what: 'the address of the WASM',
    from: 'new URL("sqlite3.wasm", import.meta.url)',
    to: "new URL('./sqlite3.wasm', import.meta.url)",
  },
] as const;

export function cut(code: string): string {
  const seen = new Map<string, number>();
  const kept = code.replace(INITIALIZER, (part) => {
    const unwanted = Object.entries(UNWANTED_PARTS).find(([, marker]) => part.includes(marker));
    if (unwanted === undefined) return part;
    seen.set(unwanted[0], (seen.get(unwanted[0]) ?? 0) + 1);
    return '';
  });
  for (const what of Object.keys(UNWANTED_PARTS)) assertOnce(what, seen.get(what) ?? 0);

  const result = REPLACEMENTS.reduce((text, { what, from, to }) => {
    assertOnce(what, text.split(from).length - 1);
    return text.replace(from, () => to);
  }, kept);

  assertOnce('the pool VFS', result.split(WANTED_PART).length - 1);
  assertOnce('any asset at all', result.split(/new URL\(['"][^)]*import\.meta\.url\)/).length - 1);
  assertNone('any worker', result.split('new Worker(').length - 1);
  return result;
}

function assertOnce(what: string, count: number): void {
  if (count !== 1)
    throw new Error(`Cannot cut sqlite-wasm: found ${what} ${String(count)} times, wanted once.`);
}

function assertNone(what: string, count: number): void {
  if (count !== 0)
    throw new Error(`Cannot cut sqlite-wasm: found ${what} ${String(count)} times, wanted none.`);
}
