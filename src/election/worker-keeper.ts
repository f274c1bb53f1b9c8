/**
 * Keeps one worker alive for a tab: makes it by the app's factory, starts it, learns of its death by its lock, makes
 * another. The worker stands for writer by itself; the keeper only sees to it that there is one.
 *
 *   factory() → loaded → start → (worker holds its lock) → waiting → … → serving
 *       ↑                                   │ lock free: it died
 *       └───────── pause, then again ───────┘
 *
 * Rules: one worker at a time; a pause grows with each failure in a row and falls back once a worker serves or waits.
 * Failure: a script that does not load, and what the worker itself calls final, is reported once and not tried again;
 * a failed opening that a fresh worker may cure is tried `MAX_FRESH_TRIES` times.
 * Not promised: that this tab's worker ever becomes the writer.
 */
import { LIBRARY_CODES } from '../domain/error-codes';
import { TidelockError } from '../domain/tidelock-error';
import { decodeError } from '../protocol/error-codec';
import { lockNames } from '../protocol/names';
import { PROTOCOL_VERSION } from '../protocol/limits';
import type { StorageKind } from '../protocol/discovery';
import {
  parseWorkerReport,
  type StartMessage,
  type WorkerReport,
  type WorkerStage,
} from '../protocol/worker-port';
import { waitUntilFree } from './locks';

/** How often a fresh worker is tried after a failed opening: file handles of a dead worker are free long before. */
const MAX_FRESH_TRIES = 5;
/** First pause before another worker, doubled each time: long enough for a browser to free a dead worker's handles. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 3_200;
/** A worker that lived this long did not die of its start: the next one comes after the first pause again. */
const SETTLED_AFTER_MS = 5_000;
/** A script that has not run after this long is taken for lost; a slow network must still fit. */
const LOAD_TIMEOUT_MS = 20_000;

export interface WorkerKeeperOptions {
  readonly db: string;
  readonly sessionId: string;
  readonly storage: StorageKind;
  readonly factory: () => Worker;
  readonly onStage: (stage: WorkerStage) => void;
  /** This tab's worker is given up. Other tabs' workers may still serve this tab. */
  readonly onFailed: (error: Error) => void;
}

export class WorkerKeeper {
  readonly #options: WorkerKeeperOptions;
  readonly #stopped = new AbortController();
  #worker: Worker | undefined;
  #deathWatch: AbortController | undefined;
  #loadTimer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #madeAtMs = 0;

  constructor(options: WorkerKeeperOptions) {
    this.#options = options;
  }

  /** Called once. */
  start(): void {
    this.#makeWorker();
  }

  /** Ends the worker at once, in whatever it is doing; its locks and handles are free some milliseconds later. Idempotent. */
  stop(): void {
    this.#stopped.abort();
    this.#dropWorker();
  }

  #makeWorker(): void {
    if (this.#stopped.signal.aborted) return;
    const workerId = crypto.randomUUID();
    let worker: Worker;
    try {
      worker = this.#options.factory();
    } catch (cause) {
      this.#giveUp(
        new TidelockError(LIBRARY_CODES.WORKER_LOAD_FAILED, 'The worker factory threw.', {
          details: { url: null },
          cause,
        }),
      );
      return;
    }
    this.#worker = worker;
    this.#madeAtMs = performance.now();
    this.#options.onStage('loading');
    worker.onmessage = ({ data }: MessageEvent<unknown>): void => {
      const report = parseWorkerReport(data);
      if (report !== undefined && worker === this.#worker) this.#hear(report, worker, workerId);
    };
    worker.onerror = (event): void => {
      event.preventDefault?.();
      // An error after loading is a fault of one task; if it ended the worker, the lock says so.
      if (worker === this.#worker && this.#loadTimer !== undefined) this.#giveUp(loadFailed(event));
    };
    this.#loadTimer = setTimeout(() => this.#giveUp(loadTimedOut()), LOAD_TIMEOUT_MS);
  }

  #hear(report: WorkerReport, worker: Worker, workerId: string): void {
    switch (report.tidelock) {
      case 'loaded':
        this.#clearLoadTimer();
        if (report.protocol === PROTOCOL_VERSION) worker.postMessage(this.#startMessage(workerId));
        else this.#giveUp(protocolMismatch(report.protocol));
        return;
      case 'stage':
        // The worker takes its lock before its first report, so from now on a free lock means a dead worker.
        if (this.#deathWatch === undefined) this.#watchForDeath(workerId);
        if (report.stage === 'serving') this.#failures = 0;
        this.#options.onStage(report.stage);
        return;
      case 'failed':
        this.#dropWorker();
        if (report.retryInFreshWorker && this.#failures < MAX_FRESH_TRIES) this.#makeAnother();
        else this.#giveUp(decodeError(report.error));
        return;
    }
  }

  #startMessage(workerId: string): StartMessage {
    const { db, sessionId, storage } = this.#options;
    return { tidelock: 'start', protocol: PROTOCOL_VERSION, db, sessionId, workerId, storage };
  }

  #watchForDeath(workerId: string): void {
    const watch = new AbortController();
    this.#deathWatch = watch;
    waitUntilFree(lockNames.worker(this.#options.db, workerId), watch.signal).then(
      () => {
        if (watch.signal.aborted) return;
        if (performance.now() - this.#madeAtMs > SETTLED_AFTER_MS) this.#failures = 0;
        this.#dropWorker();
        this.#makeAnother();
      },
      () => undefined, // aborted by dropWorker: nobody waits for this death any more
    );
  }

  #makeAnother(): void {
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS);
    this.#failures += 1;
    setTimeout(() => this.#makeWorker(), pauseMs);
  }

  #giveUp(error: Error): void {
    this.#dropWorker();
    if (this.#stopped.signal.aborted) return;
    this.#options.onStage('failed');
    this.#options.onFailed(error);
  }

  #dropWorker(): void {
    this.#clearLoadTimer();
    this.#deathWatch?.abort();
    this.#deathWatch = undefined;
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  #clearLoadTimer(): void {
    clearTimeout(this.#loadTimer);
    this.#loadTimer = undefined;
  }
}

function loadFailed(event: ErrorEvent): TidelockError {
  const url = event.filename === undefined || event.filename === '' ? null : event.filename;
  const what =
    event.message === undefined || event.message === ''
      ? 'the script could not be fetched or parsed'
      : event.message;
  return new TidelockError(
    LIBRARY_CODES.WORKER_LOAD_FAILED,
    `The worker did not start (${what}). Check the URL in the worker factory.`,
    {
      details: { url },
      cause: event.error,
    },
  );
}

function loadTimedOut(): TidelockError {
  return new TidelockError(
    LIBRARY_CODES.WORKER_LOAD_FAILED,
    `The worker script said nothing within ${LOAD_TIMEOUT_MS} ms. Does it call serve()?`,
    { details: { url: null, timeoutMs: LOAD_TIMEOUT_MS } },
  );
}

function protocolMismatch(actual: number): TidelockError {
  return new TidelockError(
    LIBRARY_CODES.PROTOCOL_MISMATCH,
    `The worker file speaks protocol ${actual}, this page ${PROTOCOL_VERSION}. Reload the page.`,
    { details: { expected: PROTOCOL_VERSION, actual } },
  );
}
