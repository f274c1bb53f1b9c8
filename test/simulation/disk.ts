import type { OpenOptions } from '../../worker/host/worker-platform';
import { loadSqlite } from '../../worker/sqlite/load-sqlite';
import { ensureDatabaseId } from '../../worker/sqlite/database-identity';
import { isTransient, toOpenError } from '../../worker/sqlite/open-errors';
import type { OpenedDatabase } from '../../worker/sqlite/opened-database';
import { SqliteDatabase } from '../../worker/sqlite/sqlite-database';
import { applyConnectionPragmas } from '../../worker/sqlite/storage-pragmas';
import type { Agent } from './agent';
import type { Dice } from './dice';
import { MortalDatabase } from './mortal-database';
import type { SimWorkerPlatform } from './sim-worker';
import type { VirtualTime } from './virtual-time';

/** Waits between attempts on files that somebody holds; as `worker/sqlite/opfs-pool` has them. */
const BACKOFF_MS = [25, 50, 100, 200, 400, 800];

export interface DiskOptions {
  readonly name: string;
  readonly time: VirtualTime;
  readonly dice: Dice;
  /** Something that must never be: two at the files, or one there without the lock. */
  readonly onBreach: (problem: string) => void;
  /** Whether this agent holds the writer lock. */
  readonly holdsWriterLock: (agent: Agent) => boolean;
  /** Whether the worker dies at the edge of the transaction it is about to begin. */
  readonly findDeath: () => 'before' | 'after' | null;
}

/**
 * The files of the one database: SQLite in memory that outlives every connection. One agent at a time has them open,
 * as with OPFS's access handles; they are free again a while after its death, sometimes a long while.
 */
export class Disk {
  readonly #options: DiskOptions;
  readonly #uri: string;
  #keeper: SqliteDatabase | undefined;
  #holder: Agent | undefined;

  constructor(options: DiskOptions) {
    this.#options = options;
    // The leading slash makes it one for the whole process; it is gone with its last connection.
    this.#uri = `file:/${options.name}?vfs=memdb`;
  }

  /** The agent that has the files open, alive or just dead. */
  get holder(): Agent | undefined {
    return this.#holder;
  }

  /** Before anything else; `close` ends it. The connection is for looking in from outside. */
  async start(): Promise<void> {
    const sqlite3 = await loadSqlite();
    this.#keeper = new SqliteDatabase(sqlite3, new sqlite3.oo1.DB(this.#uri, 'c'));
  }

  get inspector(): SqliteDatabase {
    if (this.#keeper === undefined) throw new Error('start the disk first');
    return this.#keeper;
  }

  /** How many of the upstream's changes the committed cursor says are here. */
  readCursor(): number {
    const row = this.inspector.prepare('SELECT cursor_json FROM local_workspace_sync_cursors').get();
    return typeof row?.['cursor_json'] === 'string' ? Number(JSON.parse(row['cursor_json'])) : 0;
  }

  close(): void {
    this.#keeper?.close();
  }

  async open(platform: SimWorkerPlatform, onStage: OpenOptions['onStage']): Promise<OpenedDatabase> {
    const { dice } = this.#options;
    onStage('acquiring-files');
    await platform.pause(dice.between(1, 15));
    for (const waitMs of [...BACKOFF_MS, null]) {
      try {
        this.#take(platform.agent);
        break;
      } catch (error) {
        if (waitMs === null || !isTransient(error)) throw toOpenError(error);
        await platform.pause(waitMs);
      }
    }
    await platform.pause(dice.between(1, 20));
    return await this.#connect(platform);
  }

  #take(agent: Agent): void {
    const { dice, holdsWriterLock, onBreach } = this.#options;
    if (!holdsWriterLock(agent)) onBreach(`${agent.name} opens the files without the writer lock`);
    if (this.#holder !== undefined)
      throw new DOMException(`held by ${this.#holder.name}`, 'NoModificationAllowedError');
    if (dice.chance(0.01)) throw new DOMException('now and then', 'InvalidStateError');
    if (dice.chance(0.01)) throw new DOMException('once', 'NotReadableError');
    this.#holder = agent;
    agent.onDeath(() => this.#freeLater(agent));
  }

  async #connect(platform: SimWorkerPlatform): Promise<OpenedDatabase> {
    const { agent } = platform;
    const sqlite3 = await loadSqlite();
    const database = new MortalDatabase(sqlite3, new sqlite3.oo1.DB(this.#uri, 'c'), {
      agent,
      beginTransaction: () => {
        this.#assertHolds(agent);
        return this.#options.findDeath();
      },
    });
    // What was open when it died is undone, as it is with a journal.
    agent.onDeath(() => database.closeWhenIdle(this.#options.time));
    applyConnectionPragmas(database);
    const close = (): void => {
      database.close();
      if (agent.isAlive && this.#holder === agent) this.#holder = undefined;
    };
    return { database, storage: 'opfs', databaseId: ensureDatabaseId(database, platform.now()), close };
  }

  #assertHolds(agent: Agent): void {
    if (this.#holder === agent) return;
    this.#options.onBreach(`${agent.name} writes while ${this.#holder?.name ?? 'nobody'} holds the files`);
  }

  #freeLater(agent: Agent): void {
    const { dice, time } = this.#options;
    const delayMs = dice.chance(0.1) ? dice.between(100, 3_000) : dice.between(0, 30);
    time.after(delayMs, `files freed after ${agent.name}`, () => {
      if (this.#holder === agent) this.#holder = undefined;
    });
  }
}
