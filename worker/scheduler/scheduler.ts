import { LIBRARY_CODES } from '../../src/domain/error-codes';
import { TidelockError } from '../../src/domain/tidelock-error';
import type { Job, JobHandle, JobOutcome } from './job';
import { runRead } from './run-read';
import { BatchRefusedError, runAlone, runTogether, type BatchOptions } from './write-batch';

export interface SchedulerOptions extends BatchOptions {
  /** Epoch milliseconds, for deadlines. */
  readonly now: () => number;
  /** Resolves one macrotask later, so that messages waiting in the worker's queue get in. */
  readonly yieldTurn: () => Promise<void>;
  /** After each commit that kept something, before its calls are settled. */
  readonly afterCommit?: (info: { readonly calls: number }) => void;
  /** Once, when all is over; everything pending and later is rejected with the same error. */
  readonly onFatal?: (error: unknown) => void;
  /** A `settle`, `afterCommit` or `onFatal` threw; the scheduler goes on. */
  readonly onCallbackError?: (error: unknown) => void;
}

interface Entry {
  readonly job: Job;
  /** It asked for it, or its batch was undone: it runs in a transaction of its own. */
  isAlone: boolean;
  isRunning: boolean;
  isSettled: boolean;
}

/**
 * Reads go on until this much time has passed, then a batch gets its turn, and the rest of the reads after it: a crowd
 * of slow queries delays a write by this and one query at most.
 */
const READ_ROUND_MS = 8;

/** More than fit into the time of a batch, so that a long queue is not walked through for each. */
const BATCH_CALLS = 512;

/**
 * The one place where SQL of calls runs: one after another, on one connection.
 *
 *     submit → waiting reads ┐   ┌ reads, on committed state ┐
 *              waiting writes┴ → ┤                           ├ → a turn for messages → again
 *                                └ one batch, one commit     ┘
 *
 * - Writes that arrive while a batch runs share the next one. First come, first run, reads and writes each.
 * - A call is settled after the commit that holds it, never before. Its error is its own; neighbours do not feel it.
 * - A batch that SQLite undid as a whole (a statement ended the transaction, the commit failed) is run again call by
 *   call, each in a transaction of its own: the guilty one fails, the others succeed. Works must bear running twice.
 * - `beginBatch` decides whether this writer may still write, `isFatal` whether a work broke the engine; then all is over.
 *
 * Not promised: that a call's writes are the last before it is settled, or any order between reads and writes.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #reads: Entry[] = [];
  readonly #writes: Entry[] = [];
  readonly #drained: (() => void)[] = [];
  #isRunning = false;
  /** Set once closed: what every later job is rejected with. */
  #closed: { readonly error: unknown } | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  /** Takes a job in. It runs after the present task at the earliest, so calls of one message share a batch. */
  submit(job: Job): JobHandle {
    const entry: Entry = { job, isAlone: job.isAlone ?? false, isRunning: false, isSettled: false };
    if (this.#closed !== undefined) {
      const { error } = this.#closed;
      queueMicrotask(() => this.#settle(entry, { ok: false, error }));
    } else {
      (job.kind === 'read' ? this.#reads : this.#writes).push(entry);
      this.#wake();
    }
    return { cancel: () => this.#cancel(entry) };
  }

  /** Resolves once nothing is waiting or running, jobs submitted meanwhile included. */
  drain(): Promise<void> {
    return this.#isRunning ? new Promise((resolve) => this.#drained.push(resolve)) : Promise.resolve();
  }

  /** Rejects everything waiting with `error`, and everything submitted later. Idempotent: the first error stays. */
  close(error: unknown): void {
    this.#closed ??= { error };
    const waiting = [...this.#reads.splice(0), ...this.#writes.splice(0)];
    for (const entry of waiting) this.#settle(entry, { ok: false, error: this.#closed.error });
  }

  #wake(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#run().catch((error: unknown) => this.#fail(error));
  }

  async #run(): Promise<void> {
    try {
      // A microtask: the rest of the message is submitted before the first batch.
      await Promise.resolve();
      while (this.#reads.length + this.#writes.length > 0) {
        this.#runReads();
        this.#runBatch(this.#takeBatch());
        await this.#options.yieldTurn();
      }
    } finally {
      this.#isRunning = false;
      for (const resolve of this.#drained.splice(0)) resolve();
    }
  }

  #runReads(): void {
    const startedAt = this.#options.monotonicMs();
    // Those that wait now; what they bring in has its turn in the next round.
    for (let left = this.#reads.length; left > 0; left -= 1) {
      if (this.#options.monotonicMs() - startedAt >= READ_ROUND_MS) return;
      const entry = this.#reads.shift();
      if (entry === undefined) return;
      if (this.#dropIfLate(entry)) continue;
      entry.isRunning = true;
      const outcome = runRead(entry.job.work);
      if (!outcome.ok && this.#options.isFatal?.(outcome.error) === true) {
        this.#fail(outcome.error, [entry]);
        return;
      }
      this.#settle(entry, outcome);
    }
  }

  /** The next writes that may share a transaction: all that wait, or one that must be alone. */
  #takeBatch(): Entry[] {
    const batch: Entry[] = [];
    for (let next = this.#writes[0]; next !== undefined; next = this.#writes[0]) {
      if (batch.length === BATCH_CALLS) return batch;
      if (next.isAlone && batch.length > 0) return batch;
      this.#writes.shift();
      if (!this.#dropIfLate(next)) batch.push(next);
      if (next.isAlone && batch.length > 0) return batch;
    }
    return batch;
  }

  #runBatch(batch: Entry[]): void {
    const [first] = batch;
    if (first === undefined) return;
    for (const entry of batch) entry.isRunning = true;
    try {
      if (batch.length === 1) this.#commit(batch, [runAlone(first.job.work, this.#options)]);
      else this.#runShared(batch);
    } catch (error) {
      this.#fail(error instanceof BatchRefusedError ? error.cause : error, batch);
    }
  }

  #runShared(batch: Entry[]): void {
    const result = runTogether(
      batch.map(({ job }) => job.work),
      this.#options,
    );
    if (result.kind === 'committed') {
      this.#putBack(batch.slice(result.outcomes.length));
      this.#commit(batch, result.outcomes);
      return;
    }
    for (const entry of batch.slice(0, result.attempted)) entry.isAlone = true;
    this.#putBack(batch);
  }

  #commit(batch: readonly Entry[], outcomes: readonly JobOutcome[]): void {
    const calls = outcomes.filter(({ ok }) => ok).length;
    if (calls > 0) this.#callBack(() => this.#options.afterCommit?.({ calls }));
    outcomes.forEach((outcome, index) => {
      const entry = batch[index];
      if (entry !== undefined) this.#settle(entry, outcome);
    });
  }

  /** To the front of the queue, in their order; what was closed meanwhile is rejected instead. */
  #putBack(entries: readonly Entry[]): void {
    for (const entry of entries) entry.isRunning = false;
    this.#writes.unshift(...entries);
    if (this.#closed !== undefined) this.close(this.#closed.error);
  }

  #dropIfLate(entry: Entry): boolean {
    if (entry.isSettled) return true;
    const { deadlineAt } = entry.job;
    if (deadlineAt === null || this.#options.now() <= deadlineAt) return false;
    const error = new TidelockError(
      LIBRARY_CODES.DEADLINE_EXCEEDED,
      'The call waited until its time was up, and was not run.',
      {
        details: { outcome: 'not-executed', deadlineAt },
      },
    );
    this.#settle(entry, { ok: false, error });
    return true;
  }

  #cancel(entry: Entry): boolean {
    if (entry.isSettled || entry.isRunning) return false;
    const error = new TidelockError(LIBRARY_CODES.ABORTED, 'The call was cancelled before it ran.', {
      details: { outcome: 'not-executed' },
    });
    this.#settle(entry, { ok: false, error });
    return true;
  }

  #fail(error: unknown, batch: readonly Entry[] = []): void {
    for (const entry of batch) this.#settle(entry, { ok: false, error });
    this.close(error);
    this.#callBack(() => this.#options.onFatal?.(error));
  }

  #settle(entry: Entry, outcome: JobOutcome): void {
    if (entry.isSettled) return;
    entry.isSettled = true;
    this.#callBack(() => entry.job.settle(outcome));
  }

  #callBack(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#options.onCallbackError?.(error);
    }
  }
}
