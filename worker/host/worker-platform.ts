import type { Platform } from '../../src/platform/platform';
import { BrowserPlatform } from '../../src/platform/browser-platform';
import type { StorageKind } from '../../src/protocol/discovery';
import type { WorkerReport } from '../../src/protocol/worker-port';
import { createTurnYielder, type TurnYielder } from '../scheduler/yield-turn';
import { openMemory } from '../sqlite/open-memory';
import { openOpfs, type OpenStage } from '../sqlite/open-opfs';
import type { OpenedDatabase } from '../sqlite/opened-database';
import { warmSqlite } from '../sqlite/warm-sqlite';

/** What a worker has beside what every part of the library asks of its browser; a simulation has its own. */
export interface WorkerPlatform extends Platform {
  /** Hears what the tab posts to this worker; returns what ends the hearing. */
  onMessage(hear: (data: unknown) => void): () => void;
  postToTab(report: WorkerReport): void;
  /** Ends this worker after the present task. */
  closeWorker(): void;
  /** Ahead of need: loads and compiles what an opening takes. */
  warm(): Promise<void>;
  open(options: OpenOptions): Promise<OpenedDatabase>;
  makeTurnYielder(): TurnYielder;
}

export interface OpenOptions {
  readonly storage: StorageKind;
  readonly db: string;
  /** The lost database in whose place an empty one may be made; see `openOpfs`. */
  readonly acceptLossOf: string | null;
  readonly onStage: (stage: OpenStage) => void;
}

/** A dedicated worker of the browser. */
export class BrowserWorkerPlatform extends BrowserPlatform implements WorkerPlatform {
  readonly #scope: DedicatedWorkerGlobalScope;

  constructor(scope: DedicatedWorkerGlobalScope) {
    super();
    this.#scope = scope;
  }

  onMessage(hear: (data: unknown) => void): () => void {
    const listener = ({ data }: MessageEvent<unknown>): void => hear(data);
    this.#scope.addEventListener('message', listener);
    return () => this.#scope.removeEventListener('message', listener);
  }

  postToTab(report: WorkerReport): void {
    this.#scope.postMessage(report);
  }

  closeWorker(): void {
    this.#scope.close();
  }

  warm(): Promise<void> {
    return warmSqlite();
  }

  async open({ storage, db, acceptLossOf, onStage }: OpenOptions): Promise<OpenedDatabase> {
    if (storage === 'opfs') return openOpfs({ name: db, acceptLossOf, onStage });
    onStage('opening');
    return openMemory();
  }

  makeTurnYielder(): TurnYielder {
    return createTurnYielder();
  }
}
