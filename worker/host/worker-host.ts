/**
 * The worker's own life, as its tab sees it.
 *
 *   loaded → start → (worker lock) waiting → (writer lock) opening → migrating → recovering → serving
 *                                                    └────────────── failed ──────────────┘ → the worker ends
 *
 * Rules: the worker lock is held before the first stage is told, so that the tab can watch it; the writer lock is held
 * for as long as the worker lives as writer, and never stolen; the database is opened under it and nowhere else. A
 * standby loads the WASM while it waits. A failed opening ends this worker, which frees its handles; whether another
 * one is made is the tab's business.
 */
import { LIBRARY_CODES } from '../../src/domain/error-codes';
import { TidelockError, isTidelockError } from '../../src/domain/tidelock-error';
import { holdLock } from '../../src/election/locks';
import { listWorkers } from '../../src/election/writer-holder';
import type { Build } from '../../src/protocol/build';
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
import { STORE_MIGRATIONS } from '../../migrations/migrations.generated';
import type { AppDefinition } from '../app/app-definition';
import { isWorthAFreshWorker, openWriter } from './open-writer';
import { waitForPlace } from './standby';
import type { WorkerPlatform } from './worker-platform';
import { Writer } from './writer';

export class WorkerHost {
  readonly #definition: AppDefinition;
  readonly #build: Build;
  readonly #platform: WorkerPlatform;

  constructor(definition: AppDefinition, platform: WorkerPlatform) {
    this.#definition = definition;
    this.#build = {
      protocol: PROTOCOL_VERSION,
      schema: { tidelock: STORE_MIGRATIONS.length, app: definition.migrations?.length ?? 0 },
      version: definition.version ?? 0,
    };
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
    this.#report({ tidelock: 'loaded', protocol: PROTOCOL_VERSION, build: this.#build });
  }

  async #live({ db, sessionId, workerId, storage, acceptLossOf }: StartMessage): Promise<void> {
    if (!isMeetingName(db))
      throw new TidelockError(LIBRARY_CODES.INVALID_INPUT, 'Not a database name.', {
        details: { path: 'db' },
      });
    const { locks } = this.#platform;
    await holdLock(locks, lockNames.worker(db, { sessionId, workerId }));
    this.#enter('waiting');
    let isStolen = false;
    let onStolen = (): void => void (isStolen = true);
    const releaseWriter = await waitForPlace({
      platform: this.#platform,
      db,
      workerId,
      build: this.#build,
      whenReady: this.#platform.warm(), // ahead of need; the opening loads it again and tells what is wrong
      onStolen: () => onStolen(),
    });
    try {
      const opened = await openWriter({
        platform: this.#platform,
        db,
        storage,
        acceptLossOf: acceptLossOf ?? null, // an older build's page does not send it
        definition: this.#definition,
        onStage: (stage) => this.#enter(stage),
      });
      const fail = (error: unknown): void => {
        try {
          writer.stop(error);
        } finally {
          // Whatever else fails: a worker that cannot write must not keep the place.
          releaseWriter();
          this.#fail(error, true);
        }
      };
      const writer: Writer = new Writer({
        platform: this.#platform,
        db,
        sessionId,
        build: this.#build,
        writer: opened,
        onFatal: (error) => fail(error),
        onHandedOver: () => {
          releaseWriter();
          this.#report({ tidelock: 'handed-over' });
          this.#platform.closeWorker();
        },
      });
      onStolen = () => fail(placeLost());
      if (isStolen) onStolen();
      else this.#enter('serving');
    } catch (error) {
      releaseWriter();
      throw error;
    }
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

function placeLost(): TidelockError {
  return new TidelockError(LIBRARY_CODES.STORAGE_BUSY, "The writer's lock was taken away from this worker.", {
    details: {},
  });
}

/** Whatever the start did not expect; the cause says what it was. */
function startFailed(cause: unknown): TidelockError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new TidelockError(LIBRARY_CODES.WORKER_LOAD_FAILED, `The worker could not start: ${reason}`, {
    details: { url: null },
    cause,
  });
}
