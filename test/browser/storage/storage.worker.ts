/**
 * A worker with the real storage layer in it, driven by a test: each command is a function of `commands`. It also
 * injects faults into the file API, below SQLite, where browsers have theirs.
 */
import { Scheduler } from '../../../worker/scheduler/scheduler';
import type { JobOutcome } from '../../../worker/scheduler/job';
import { createTurnYielder } from '../../../worker/scheduler/yield-turn';
import { loadSqlite } from '../../../worker/sqlite/load-sqlite';
import { migrate } from '../../../worker/sqlite/migrate';
import { destroyOpfs, openOpfs, type OpenOpfsOptions } from '../../../worker/sqlite/open-opfs';
import type { OpenedDatabase } from '../../../worker/sqlite/opened-database';
import { ROOT_NAME, toDirectoryName, toVfsName } from '../../../worker/sqlite/opfs-names';
import type { Migration } from '../../../worker/sqlite/plan-migrations';
import { removeSentinel, readSentinel } from '../../../worker/sqlite/sentinel';
import { makeDeferred } from '../../../src/domain/deferred';
import { isTidelockError } from '../../../src/domain/tidelock-error';

let opened: OpenedDatabase | undefined;
/** Of opening a file, in this worker's life. */
const firstFailure = makeDeferred<void>();
let flushes = 0;

/** Faults to come, by what they strike. */
const faults = {
  handles: { name: '', left: 0 },
  writes: { name: '', left: 0 },
};

wrap(
  FileSystemFileHandle.prototype,
  'createSyncAccessHandle',
  (original) =>
    function (this: FileSystemFileHandle) {
      // The probe file that sqlite-wasm opens before it makes its pool is spared.
      const isProbe = this.name.startsWith('.opfs-sahpool-sync-check');
      const fault = isProbe ? undefined : takeFault(faults.handles);
      const handle = fault === undefined ? original.call(this) : Promise.reject(fault);
      handle.catch(() => firstFailure.resolve());
      return handle;
    },
);

wrap(
  FileSystemSyncAccessHandle.prototype,
  'write',
  (original) =>
    function (this: FileSystemSyncAccessHandle, ...args) {
      const fault = takeFault(faults.writes);
      if (fault !== undefined) throw fault;
      return original.apply(this, args);
    },
);

wrap(
  FileSystemSyncAccessHandle.prototype,
  'flush',
  (original) =>
    function (this: FileSystemSyncAccessHandle) {
      flushes += 1;
      original.call(this);
    },
);

function wrap<Target, Name extends keyof Target>(
  target: Target,
  name: Name,
  make: (original: Target[Name]) => Target[Name],
): void {
  target[name] = make(target[name]);
}

function takeFault(fault: { readonly name: string; left: number }): DOMException | undefined {
  if (fault.left === 0) return undefined;
  fault.left -= 1;
  return new DOMException('injected', fault.name);
}

function mustGetDatabase() {
  if (opened === undefined) throw new Error('no database is open');
  return opened.database;
}

export const commands = {
  open: async (options: OpenOpfsOptions) => {
    const stages: string[] = [];
    opened = await openOpfs({ ...options, onStage: (stage) => stages.push(stage) });
    return { databaseId: opened.databaseId, storage: opened.storage, stages };
  },

  close: () => opened?.close(),

  /** Resolves once a file could not be opened. */
  waitForFailure: () => firstFailure.promise,

  destroy: (name: string) => destroyOpfs({ name }),

  exec: (sql: string) => mustGetDatabase().exec(sql),

  all: (sql: string) => mustGetDatabase().prepare(sql).all(),

  migrateApp: (migrations: readonly Migration[]) =>
    migrate(mustGetDatabase(), [{ scope: 'app', migrations }], { now: 1 }),

  /** The next `left` openings of a pool file fail with a DOMException of this name. */
  failHandles: (name: string, left: number) => {
    faults.handles = { name, left };
  },

  /** The next `left` writes to any file fail with a DOMException of this name. */
  failWrites: (name: string, left: number) => {
    faults.writes = { name, left };
  },

  /** Installs the pool of a database the way one must not: with its own defaults. */
  installCarelessly: async (name: string) => {
    const sqlite3 = await loadSqlite();
    await sqlite3.installOpfsSAHPoolVfs({
      name: toVfsName(name),
      directory: `${ROOT_NAME}/${toDirectoryName(name)}`,
    });
  },

  /** Deletes the files of a database, as clearing data by hand does; the sentinel stays. */
  wipeFiles: async (name: string) => {
    const root = await navigator.storage.getDirectory();
    const parent = await root.getDirectoryHandle(ROOT_NAME);
    await parent.removeEntry(toDirectoryName(name), { recursive: true });
  },

  /** Overwrites the beginning of every file of a closed database, behind the pool's own header. */
  damageFiles: async (name: string) => {
    const root = await navigator.storage.getDirectory();
    const pool = await (await root.getDirectoryHandle(ROOT_NAME)).getDirectoryHandle(toDirectoryName(name));
    for await (const file of (await pool.getDirectoryHandle('.opaque')).values()) {
      if (!(file instanceof FileSystemFileHandle)) continue;
      const handle = await file.createSyncAccessHandle();
      if (handle.getSize() > 4096) handle.write(new Uint8Array(100).fill(255), { at: 4096 });
      handle.close();
    }
  },

  readSentinel,
  removeSentinel,

  /** Submits calls in one go and says how each ended, and how many flushes all of them took. */
  runBatch: async (sqls: readonly string[]) => {
    const database = mustGetDatabase();
    const { yieldTurn, close } = createTurnYielder();
    const scheduler = new Scheduler({
      database,
      now: () => Date.now(),
      // It stands still, so that a busy machine does not split the batch.
      monotonicMs: () => 0,
      yieldTurn,
    });
    const before = flushes;
    const outcomes = sqls.map(
      (sql) =>
        new Promise<JobOutcome>((settle) => {
          scheduler.submit({
            kind: 'write',
            deadlineAt: null,
            work: () => database.prepare(sql).run().changes,
            settle,
          });
        }),
    );
    const isOk = (await Promise.all(outcomes)).map(({ ok }) => ok);
    close();
    return { isOk, flushes: flushes - before };
  },
};

export type StorageCommands = typeof commands;

/** What a failed command sends back. */
export interface CommandFailure {
  readonly name: string;
  readonly message: string;
  readonly code: string | null;
  readonly details: unknown;
  readonly cause: string;
}

function describeFailure(error: unknown): CommandFailure {
  const { name, message, cause } = error instanceof Error ? error : new Error(String(error));
  const [code, details] = isTidelockError(error) ? [error.code, error.details] : [null, null];
  return { name, message, code, details, cause: String(cause) };
}

addEventListener('message', ({ data }: MessageEvent<{ id: number; command: string; args: unknown[] }>) => {
  const run = async (): Promise<unknown> => {
    // The caller's types name the command and its arguments; a message carries them untyped.
    const command = commands[data.command as keyof StorageCommands] as (...args: unknown[]) => unknown;
    return command(...data.args);
  };
  run().then(
    (value) => postMessage({ id: data.id, ok: true, value }),
    (error: unknown) => postMessage({ id: data.id, ok: false, failure: describeFailure(error) }),
  );
});
