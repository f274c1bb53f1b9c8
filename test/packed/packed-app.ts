import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../support/repository-root';

/** What a consumer writes: the first example of the README, a configuration for types, and nothing else. */
const APP_FILES = {
  'package.json': JSON.stringify({ name: 'packed-app', private: true, type: 'module' }),
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      target: 'ES2022',
      module: 'ESNext',
      moduleResolution: 'bundler',
      lib: ['ES2023', 'DOM', 'DOM.Iterable'],
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      noEmit: true,
    },
    include: ['*.ts'],
  }),
  'index.html': `<!doctype html><title>notes</title><output></output><script type="module" src="/main.ts"></script>`,
  'notes.worker.ts': `
import { defineWorker, mutation, query } from 'tidelock/worker';
import { z } from 'zod';

export const app = defineWorker({
  name: 'notes',
  migrations: [
    { id: 1, name: 'notes', sql: 'CREATE TABLE notes (id TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT' },
  ],
  queries: {
    notes: query(z.object({}), (db) => db.all('SELECT id, text FROM notes ORDER BY id')),
  },
  mutations: {
    addNote: mutation(z.object({ id: z.string(), text: z.string() }), (db, input) => {
      db.run('INSERT INTO notes (id, text) VALUES (?, ?)', [input.id, input.text]);
    }),
  },
});
app.serve();
export type App = typeof app;
`,
  // Shows what the database held before this load, then adds one note.
  'main.ts': `
import { connect } from 'tidelock';
import type { App } from './notes.worker';

const tide = await connect<App>({
  name: 'notes',
  worker: () => new Worker(new URL('./notes.worker.ts', import.meta.url), { type: 'module' }),
});
await tide.workspaces.open('w-1', { userId: 'u', tenantId: 't' });
const found = await tide.query('notes', {});
await tide.mutate('addNote', { id: \`n-\${found.length + 1}\`, text: 'written before a reload' });
const output = document.querySelector('output');
if (output !== null) output.textContent = JSON.stringify({ found, storage: tide.status.storage });

// @ts-expect-error the worker has no such mutation
void (() => tide.mutate('addNothing', {}));
// @ts-expect-error a note's text is a string
void (() => tide.mutate('addNote', { id: 'n', text: 1 }));
`,
} as const;

const INSTALL_DEADLINE_MS = 180_000;
const START_DEADLINE_MS = 60_000;

export interface PackedApp {
  readonly folder: string;
  /** The files of the tarball, without the leading `package/`. */
  readonly packedFiles: readonly string[];
  /** Runs a program of the app's own node_modules and returns its output. @throws when it fails. */
  run(program: string, args: readonly string[]): Promise<string>;
  /** Starts one that serves, and resolves with its address. */
  serve(program: string, args: readonly string[]): Promise<RunningServer>;
  remove(): Promise<void>;
}

export interface RunningServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Packs the library as npm would publish it, and installs it in an empty app. The caller removes it. */
export async function createPackedApp(): Promise<PackedApp> {
  const folder = await mkdtemp(join(tmpdir(), 'tidelock-packed-'));
  for (const [name, text] of Object.entries(APP_FILES)) await writeFile(join(folder, name), text);
  const pack = join(folder, 'pack');
  await mkdir(pack);
  await runInFolder(repositoryRoot, 'npm', [
    'pack',
    '--ignore-scripts',
    '--silent',
    '--pack-destination',
    pack,
  ]);
  const [tarball] = await readdir(pack);
  if (tarball === undefined) throw new Error('npm pack made no tarball.');
  const install = ['install', join(pack, tarball), 'zod@4.6.7', 'vite@8.3.8'];
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  await runInFolder(folder, 'npm', [...install, ...quiet]);
  const list = await runInFolder(folder, 'tar', ['-tzf', join(pack, tarball)]);
  const bin = (program: string): string => join(folder, 'node_modules', '.bin', program);
  return {
    folder,
    packedFiles: list
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.replace(/^package\//, ''))
      .toSorted(),
    run: (program, args) => runInFolder(folder, program === 'node' ? 'node' : bin(program), args),
    serve: (program, args) => serveInFolder(folder, bin(program), args),
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** The environment of someone who is not running Vitest. */
function consumerEnvironment(): NodeJS.ProcessEnv {
  const ours = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|TEST$|NODE_ENV$|MODE$|PROD$|DEV$|SSR$|BASE_URL$)/.test(name),
  );
  return { ...Object.fromEntries(ours), NO_COLOR: '1' };
}

async function runInFolder(folder: string, command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, {
    cwd: folder,
    env: consumerEnvironment(),
    timeout: INSTALL_DEADLINE_MS,
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (output += String(chunk)));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0)
    throw new Error(`"${command} ${args.join(' ')}" ended with ${String(code)}, wanted 0:\n${output}`);
  return output;
}

async function serveInFolder(
  folder: string,
  command: string,
  args: readonly string[],
): Promise<RunningServer> {
  const child = spawn(command, args, { cwd: folder, env: consumerEnvironment() });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  let output = '';
  const url = await new Promise<string | undefined>((resolve) => {
    const timer = setTimeout(() => resolve(undefined), START_DEADLINE_MS);
    const look = (chunk: unknown): void => {
      output += String(chunk);
      const found = /http:\/\/(?:localhost|127\.0\.0\.1):\d+\//.exec(output)?.[0];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    void ended.then(() => {
      clearTimeout(timer);
      resolve(undefined);
    });
  });
  if (url !== undefined) return { url, stop };
  await stop();
  throw new Error(`"${command} ${args.join(' ')}" printed no address:\n${output}`);
}
