/**
 * The worker's own life, as its tab sees it.
 *
 *   loaded → start → (worker lock) waiting → (writer lock) opening → migrating → recovering → serving
 *                                                    └────────────── failed ──────────────┘ → the worker ends
 *
 * Rules: the worker lock is held before the first stage is told, so that the tab can watch it; the writer lock is held
 * for as long as the worker lives as writer, and never stolen; the database is opened under it and nowhere else. A
 * standby loads the WASM while it waits, and sees to it that no cached page is waited for. A failed opening ends this worker, which frees its handles; whether another
 * one is made is the tab's business.
 */
import { LIBRARY_CODES } from '../../src/domain/error-codes';
import { TidelockError, isTidelockError } from '../../src/domain/tidelock-error';
import { holdLock } from '../../src/election/locks';
import { listWorkers } from '../../src/election/writer-holder';
import { encodeError } from '../../src/protocol/error-codec';
import { PROTOCOL_VERSION } from '../../src/protocol/limits';
import { isMeetingName, lockNames } from '../../src/protocol/names';
import {
  isPing,
  parseStartMessage,
  type StartMessage,
  type WorkerReport,
  type WorkerStage,
} from '../../src/protocol/worker-port';
import type { AppDefinition } from '../app/app-definition';
import { isWorthAFreshWorker, openWriter } from './open-writer';
import type { WorkerPlatform } from './worker-platform';
import { Writer } from './writer';

/** How long a cached page that holds the writer's lock may starve the others. */
const EVICT_EVERY_MS = 1_000;

export class WorkerHost {
  readonly #definition: AppDefinition;
  readonly #platform: WorkerPlatform;

  constructor(definition: AppDefinition, platform: WorkerPlatform) {
    this.#definition = definition;
    this.#platform = platform;
  }

  /** Called once, by `serve`. */
  listen(): void {
    let isStarted = false;
    this.#platform.onMessage((data) => {
      if (isPing(data)) this.#report({ tidelock: 'pong' });
      const start = parseStartMessage(data);
      if (start === undefined || isStarted) return;
      isStarted = true;
      this.#live(start).catch(async (error: unknown) => {
        this.#fail(await this.#nameHolders(error, start), isWorthAFreshWorker(error));
      });
    });
    this.#report({ tidelock: 'loaded', protocol: PROTOCOL_VERSION });
  }

  async #live({ db, sessionId, workerId, storage, acceptLossOf }: StartMessage): Promise<void> {
    if (!isMeetingName(db))
      throw new TidelockError(LIBRARY_CODES.INVALID_INPUT, 'Not a database name.', {
        details: { path: 'db' },
      });
    const { locks } = this.#platform;
    await holdLock(locks, lockNames.worker(db, { sessionId, workerId }));
    this.#enter('waiting');
    this.#platform.warm().catch(() => undefined); // ahead of need; the opening loads it again and tells what is wrong
    const stopLooking = this.#platform.every(EVICT_EVERY_MS, () => this.#evictCachedHolders());
    const releaseWriter = await holdLock(locks, lockNames.writer(db));
    stopLooking();
    try {
      const opened = await openWriter({
        platform: this.#platform,
        db,
        storage,
        acceptLossOf: acceptLossOf ?? null, // an older build's page does not send it
        definition: this.#definition,
        onStage: (stage) => this.#enter(stage),
      });
      const writer: Writer = new Writer({
        platform: this.#platform,
        db,
        sessionId,
        writer: opened,
        onFatal: (error) => {
          try {
            writer.stop(error);
          } finally {
            // Whatever else fails: a worker that cannot write must not keep the place.
            releaseWriter();
            this.#fail(error, true);
          }
        },
        onHandedOver: () => {
          releaseWriter();
          this.#report({ tidelock: 'handed-over' });
          this.#platform.closeWorker();
        },
      });
      this.#enter('serving');
    } catch (error) {
      releaseWriter();
      throw error;
    }
  }

  /** Chromium keeps a page in its back/forward cache though it holds a lock, until somebody asks about locks. */
  #evictCachedHolders(): void {
    this.#platform.locks.query().catch(() => undefined); // the asking is all that matters
  }

  /** Files that are held are another worker's: which ones live is the best that can be said of whose. */
  async #nameHolders(error: unknown, { db, sessionId }: StartMessage): Promise<unknown> {
    if (!isTidelockError(error) || error.code !== LIBRARY_CODES.STORAGE_BUSY) return error;
    const workers = await listWorkers(this.#platform.locks, db).catch(() => []);
    const holders = workers.filter((worker) => worker.sessionId !== sessionId);
    return new TidelockError(error.code, error.message, {
      details: { ...error.details, db, lock: lockNames.writer(db), holders },
      cause: error.cause,
    });
  }

  #enter(stage: WorkerStage): void {
    this.#report({ tidelock: 'stage', stage });
  }

  #fail(error: unknown, retryInFreshWorker: boolean): void {
    const typed = isTidelockError(error) ? error : startFailed(error);
    this.#report({ tidelock: 'failed', error: encodeError(typed), retryInFreshWorker });
    this.#platform.closeWorker();
  }

  #report(report: WorkerReport): void {
    this.#platform.postToTab(report);
  }
}

/** Whatever the start did not expect; the cause says what it was. */
function startFailed(cause: unknown): TidelockError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new TidelockError(LIBRARY_CODES.WORKER_LOAD_FAILED, `The worker could not start: ${reason}`, {
    details: { url: null },
    cause,
  });
}
