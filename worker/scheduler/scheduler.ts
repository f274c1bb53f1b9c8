import type { Database } from '../database';

/** What the scheduler needs of a database beyond running transactions. */
export interface SchedulerDatabase extends Pick<Database, 'transaction' | 'isInTransaction'> {
  /** Whether a deferred foreign key is violated by now, anywhere in the open transaction. */
  hasDeferredViolation(): boolean;
}

export type JobOutcome =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown };

export interface Job {
  /** A read runs outside any transaction on committed state; a write shares one with its neighbours. */
  readonly kind: 'read' | 'write';
  /** Epoch milliseconds after which the job must not start any more; null: never too late. */
  readonly deadlineAt: number | null;
  /** Synchronous, and safe to run twice: what it wrote the first time is undone before the second. */
  readonly work: () => unknown;
  /** Called exactly once, never inside `submit` or a transaction. A throw is reported, not obeyed. */
  readonly settle: (outcome: JobOutcome) => void;
}

export interface JobHandle {
  /** True where the job had not run: it settles with ABORTED and never will. False where it is too late. */
  cancel(): boolean;
}

export interface SchedulerOptions {
  readonly database: SchedulerDatabase;
  /** Epoch milliseconds, for deadlines. */
  readonly now: () => number;
  /** Milliseconds that never jump, for the length of a batch. */
  readonly monotonicMs: () => number;
  /** Resolves one macrotask later, so that messages waiting in the worker's queue get in. */
  readonly yieldTurn: () => Promise<void>;
  /** First inside each write transaction (the epoch check). A throw is the end of this scheduler. */
  readonly beginBatch?: () => void;
  /** After each commit, before its calls are settled. */
  readonly afterCommit?: (info: { readonly calls: number }) => void;
  /** Once, when `beginBatch` threw; everything pending and later is rejected with the same error. */
  readonly onFatal?: (error: unknown) => void;
  /** A `settle`, `afterCommit` or `onFatal` threw. */
  readonly onCallbackError?: (error: unknown) => void;
}

/** Runs reads and writes one after another on one connection; writes that wait share one commit. */
export class Scheduler {
  constructor(_options: SchedulerOptions) {}

  submit(_job: Job): JobHandle {
    throw new Error('not built yet');
  }

  /** Resolves once nothing is waiting or running, jobs submitted meanwhile included. */
  drain(): Promise<void> {
    throw new Error('not built yet');
  }

  /** Rejects everything waiting with `error`, and everything submitted later. Idempotent; the first error stays. */
  close(_error: unknown): void {
    throw new Error('not built yet');
  }
}
