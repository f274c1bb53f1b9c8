/**
 * Keeps one worker alive for a tab: makes it by the app's factory, starts it, learns of its death by its lock, makes
 * another. The worker stands for writer by itself; the keeper only sees to it that there is one.
 *
 *   factory() → loaded → start → (worker holds its lock) → waiting → … → serving
 *       ↑         │                 │ lock free: it died
 *       └─────────┴──────── pause, then again
 *          no word in time: it died while loading; a stage that outlasts its time; ten silent seconds: it is stuck
 *
 * Rules: one worker at a time; a pause grows with each failure in a row and falls back once a worker serves or lived
 * long. Before it holds its lock nobody can tell a dead worker from a slow one, so it is given a time that grows.
 * Failure: what a worker calls final, a script that fails before any worker of this tab ever loaded, and one that the
 * server has no more, ends the keeping and is told once. Everything else (a lost network, a killed worker, held files) is told as trouble and tried
 * again for as long as the session lives.
 * Not promised: that this tab's worker ever becomes the writer.
 */
import { LIBRARY_CODES } from '../domain/error-codes';
import { TidelockError } from '../domain/tidelock-error';
import { decodeError } from '../protocol/error-codec';
import { lockNames } from '../protocol/names';
import { PROTOCOL_VERSION } from '../protocol/limits';
import type { TabPlatform } from '../platform/platform';
import type { Build } from '../protocol/build';
import type { StorageKind } from '../protocol/discovery';
import {
  parseWorkerReport,
  type PingMessage,
  type StartMessage,
  type WorkerReport,
  type WorkerStage,
} from '../protocol/worker-port';
import { waitUntilFree } from './locks';
import { makeWorker, type MadeWorker } from './make-worker';
import { STAGE_TIMEOUTS_MS } from './stage-timeouts';
import { loadFailed, protocolMismatch, stageTimedOut, startTimedOut, stuck } from './worker-errors';
import { WorkerPulse } from './worker-pulse';

/** How often in a row a fresh worker is tried after a failed opening: a dead worker's file handles are free long before. */
const MAX_FRESH_TRIES = 5;
/** First pause before another worker, doubled each time: long enough for a browser to free a dead worker's handles. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 3_200;
/** A worker that lived this long did not die of its start: the next one comes after the first pause again. */
const SETTLED_AFTER_MS = 5_000;
/** How long the page's first worker may take until it holds its lock: a cold cache on a slow network must fit. */
const COLD_START_TIMEOUT_MS = 15_000;
/** The same once a worker has run, when the script is in the cache; each silent start in a row doubles it. */
const WARM_START_TIMEOUT_MS = 5_000;
const LONGEST_START_TIMEOUT_MS = 40_000;

const PING: PingMessage = { tidelock: 'ping' };

export interface WorkerKeeperOptions {
  readonly platform: TabPlatform;
  readonly db: string;
  readonly sessionId: string;
  readonly storage: StorageKind;
  readonly acceptLossOf: string | null;
  readonly factory: () => Worker;
  /** A worker of this page has run before, in an earlier session: the script's URL is right. */
  readonly isReturning: boolean;
  /** `deadlineAt`: epoch milliseconds when the stage counts as hung; null where it may last. */
  readonly onStage: (stage: WorkerStage, deadlineAt: number | null) => void;
  /** The worker file has loaded, and is of this build. Told with each worker. */
  readonly onBuild: (build: Build) => void;
  /** A worker failed, and another will be tried. */
  readonly onTrouble: (error: Error) => void;
  /** This tab's worker is given up. Other tabs' workers may still serve this tab. */
  readonly onFailed: (error: Error) => void;
}

export class WorkerKeeper {
  readonly #options: WorkerKeeperOptions;
  readonly #stopped = new AbortController();
  #worker: Worker | undefined;
  #deathWatch: AbortController | undefined;
  /** Of the present stage. */
  #stopStageTimer: (() => void) | undefined;
  #pulse: WorkerPulse | undefined;
  #stopPause: (() => void) | undefined;
  /** In a row, of any kind; sets the pauses. */
  #failures = 0;
  /** Openings in a row that failed: after so many it is not the moment's fault. */
  #failedOpenings = 0;
  /** Starts in a row that nothing was heard of; sets the time the next one is given. */
  #silentStarts = 0;
  #madeAtMs = 0;
  #stage: WorkerStage = 'loading';
  /** Once a script has run, a later one that does not is taken for a lost network and not for a wrong URL. */
  #hasEverLoaded: boolean;

  constructor(options: WorkerKeeperOptions) {
    this.#options = options;
    this.#hasEverLoaded = options.isReturning;
  }

  /** Called once. */
  start(): void {
    const { page } = this.#options.platform;
    page.addEventListener('online', () => this.#hurry(), { signal: this.#stopped.signal });
    this.#makeWorker();
  }

  /** After `onFailed`, where what made it fail is over: there is a worker again. */
  revive(): void {
    this.#failedOpenings = 0;
    this.#makeWorker();
  }

  /** Ends the worker at once, in whatever it is doing; its locks and handles are free some milliseconds later. Idempotent. */
  stop(): void {
    this.#stopped.abort();
    this.#stopPause?.();
    this.#dropWorker();
  }

  #makeWorker(): void {
    if (this.#stopped.signal.aborted) return;
    const { platform } = this.#options;
    this.#stopPause = undefined;
    const workerId = platform.randomUuid();
    let made: MadeWorker;
    try {
      made = makeWorker(this.#options.factory);
      if (typeof made.worker?.postMessage !== 'function') throw new TypeError('it returned no Worker');
    } catch (cause) {
      this.#giveUp(
        new TidelockError(LIBRARY_CODES.WORKER_LOAD_FAILED, 'The worker factory threw, or made no Worker.', {
          details: { url: null },
          cause,
        }),
      );
      return;
    }
    const { worker, url } = made;
    this.#worker = worker;
    this.#madeAtMs = platform.monotonicMs();
    worker.onmessage = ({ data }: MessageEvent<unknown>): void => {
      const report = parseWorkerReport(data);
      if (report !== undefined && worker === this.#worker) this.#hear(report, worker, workerId);
    };
    worker.onerror = (event): void => {
      // An error after the start is one task's fault and the console's to tell; if it ended the worker, the lock says so.
      if (worker !== this.#worker || this.#stage !== 'loading') return;
      event.preventDefault?.();
      this.#failToStart(loadFailed(event, url), url);
    };
    const baseMs = this.#hasEverLoaded ? WARM_START_TIMEOUT_MS : COLD_START_TIMEOUT_MS;
    const timeoutMs = Math.min(baseMs * 2 ** this.#silentStarts, LONGEST_START_TIMEOUT_MS);
    this.#enter('loading', timeoutMs, () => {
      this.#silentStarts += 1;
      return startTimedOut(timeoutMs, url);
    });
  }

  #hear(report: WorkerReport, worker: Worker, workerId: string): void {
    this.#pulse?.hear();
    switch (report.tidelock) {
      case 'loaded':
        this.#hasEverLoaded = true;
        if (report.protocol !== PROTOCOL_VERSION) {
          this.#giveUp(protocolMismatch(report.protocol));
          return;
        }
        this.#options.onBuild(report.build);
        worker.postMessage(this.#startMessage(workerId));
        return;
      case 'stage':
        this.#silentStarts = 0;
        // The worker takes its lock before its first report, so from now on a free lock means a dead worker.
        if (this.#deathWatch === undefined) this.#watchForDeath(workerId);
        if (report.stage === 'serving') this.#failures = this.#failedOpenings = 0;
        this.#follow(report.stage, worker);
        return;
      case 'pong':
        return; // heard above
      case 'handed-over':
        this.#dropWorker();
        this.#options.onStage('loading', null);
        // Behind the others in the line, whoever they are.
        this.#stopPause = this.#options.platform.after(FIRST_PAUSE_MS, () => this.#makeWorker());
        return;
      case 'failed': {
        const error = decodeError(report.error);
        this.#failedOpenings += 1;
        if (report.retryInFreshWorker && this.#failedOpenings <= MAX_FRESH_TRIES) this.#tryAnother(error);
        else this.#giveUp(error);
        return;
      }
    }
  }

  #follow(stage: WorkerStage, worker: Worker): void {
    const timeoutMs = stage === 'loading' ? null : (STAGE_TIMEOUTS_MS[stage] ?? null); // a newer worker file may have stages of its own
    this.#enter(stage, timeoutMs, () => stageTimedOut(stage, timeoutMs));
    if (stage !== 'waiting' && stage !== 'serving') return; // the others have a time of their own
    this.#pulse = new WorkerPulse({
      platform: this.#options.platform,
      ping: () => worker.postMessage(PING),
      onStuck: () => this.#tryAnother(stuck()),
    });
  }

  /** The stage of this worker from now on; where it outlasts its time, another worker is made. */
  #enter(stage: WorkerStage, timeoutMs: number | null, onTimeout: () => Error): void {
    this.#leaveStage();
    this.#stage = stage;
    const { platform, onStage } = this.#options;
    if (timeoutMs !== null) {
      this.#stopStageTimer = platform.after(timeoutMs, () => this.#tryAnother(onTimeout()));
    }
    onStage(stage, timeoutMs === null ? null : platform.now() + timeoutMs);
  }

  #leaveStage(): void {
    this.#stopStageTimer?.();
    this.#stopStageTimer = undefined;
    this.#pulse?.stop();
    this.#pulse = undefined;
  }

  #startMessage(workerId: string): StartMessage {
    const { db, sessionId, storage, acceptLossOf } = this.#options;
    return { tidelock: 'start', protocol: PROTOCOL_VERSION, db, sessionId, workerId, storage, acceptLossOf };
  }

  #watchForDeath(workerId: string): void {
    const watch = new AbortController();
    this.#deathWatch = watch;
    const { db, platform, sessionId } = this.#options;
    waitUntilFree(platform.locks, lockNames.worker(db, { sessionId, workerId }), watch.signal).then(
      () => {
        if (watch.signal.aborted) return;
        if (platform.monotonicMs() - this.#madeAtMs > SETTLED_AFTER_MS) this.#failures = 0;
        this.#makeAnother();
      },
      () => undefined, // aborted by dropWorker: nobody waits for this death any more
    );
  }

  /**
   * A script that never ran at all is most likely a wrong URL: that is worth an error at once. One that ran before is
   * asked for again, unless the server says that it is there no more.
   */
  #failToStart(error: Error, url: string | null): void {
    if (!this.#hasEverLoaded) {
      this.#giveUp(error);
      return;
    }
    const worker = this.#worker;
    this.#options.platform.isGone(url).then(
      (isGone) => {
        if (worker !== this.#worker || this.#stage !== 'loading') return;
        if (isGone) this.#giveUp(error);
        else this.#tryAnother(error);
      },
      () => undefined, // it never rejects
    );
  }

  #tryAnother(error: Error): void {
    this.#options.onTrouble(error);
    this.#makeAnother();
  }

  #makeAnother(): void {
    this.#dropWorker();
    this.#options.onStage('loading', null);
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS);
    this.#failures += 1;
    this.#stopPause = this.#options.platform.after(pauseMs, () => this.#makeWorker());
  }

  /** The network is back: what waits for its pause need not. */
  #hurry(): void {
    if (this.#worker !== undefined || this.#stopPause === undefined) return;
    this.#stopPause();
    this.#makeWorker();
  }

  #giveUp(error: Error): void {
    this.#dropWorker();
    if (this.#stopped.signal.aborted) return;
    this.#options.onStage('failed', null);
    this.#options.onFailed(error);
  }

  #dropWorker(): void {
    this.#leaveStage();
    this.#deathWatch?.abort();
    this.#deathWatch = undefined;
    this.#worker?.terminate();
    this.#worker = undefined;
  }
}
