import type { Database } from '../database';
import { DeferredForeignKeyError } from './deferred-foreign-key-error';
import type { JobOutcome } from './job';

/** What a batch needs of a database beyond running transactions. */
export interface BatchDatabase extends Pick<Database, 'transaction' | 'isInTransaction'> {
  /** Whether a deferred foreign key is violated by now, anywhere in the open transaction. */
  hasDeferredViolation(): boolean;
}

/**
 * Work after which a batch takes in no more calls. Longer batches save flushes (a commit costs about as much as 4 ms
 * hold a dozen calls) but make every reader and every call in the batch wait; shorter ones commit more often than
 * they must. One call may take longer by itself.
 */
export const BATCH_WORK_MS = 4;

/** This writer may not write any more: `beginBatch` threw, or a work broke the engine. The reason is the cause. */
export class BatchRefusedError extends Error {
  override readonly name = 'BatchRefusedError';
}

export interface BatchOptions {
  readonly database: BatchDatabase;
  readonly monotonicMs: () => number;
  /** First inside the transaction. */
  readonly beginBatch?: () => void;
  /** Whether an error of a work means that nothing may be committed any more. */
  readonly isFatal?: (error: unknown) => boolean;
}

export type BatchResult =
  /** One commit; outcomes of the works that were taken in, in order. */
  | { readonly kind: 'committed'; readonly outcomes: readonly JobOutcome[] }
  /** Nothing was kept. The first `attempted` must be run again, each alone, to learn whose fault it was. */
  | { readonly kind: 'undone'; readonly attempted: number };

type Work = () => unknown;

/**
 * Runs works in one transaction, each in a savepoint of its own, until they are through or time is up. A work that
 * throws, returns a promise or leaves a deferred foreign key violated is undone alone.
 * @throws BatchRefusedError
 */
export function runTogether(works: readonly Work[], options: BatchOptions): BatchResult {
  const { database, monotonicMs } = options;
  const outcomes: JobOutcome[] = [];
  let attempted = 0;
  try {
    database.transaction(() => {
      begin(options);
      const startedAt = monotonicMs();
      for (const work of works) {
        if (attempted > 0 && monotonicMs() - startedAt >= BATCH_WORK_MS) return;
        attempted += 1;
        outcomes.push(runApart(work, options));
      }
    });
    return { kind: 'committed', outcomes };
  } catch (error) {
    throwIfOver(error, options);
    return { kind: 'undone', attempted: Math.max(attempted, 1) };
  }
}

/** Runs one work in a transaction of its own; whatever goes wrong, it is this work's error. @throws BatchRefusedError */
export function runAlone(work: Work, options: BatchOptions): JobOutcome {
  try {
    const value = options.database.transaction(() => {
      begin(options);
      return runChecked(work, options.database);
    });
    return { ok: true, value };
  } catch (error) {
    throwIfOver(error, options);
    return { ok: false, error };
  }
}

function begin({ beginBatch }: BatchOptions): void {
  try {
    beginBatch?.();
  } catch (error) {
    throw new BatchRefusedError('the writer may not begin a batch', { cause: error });
  }
}

function throwIfOver(error: unknown, { isFatal }: BatchOptions): void {
  if (error instanceof BatchRefusedError) throw error;
  if (isFatal?.(error) === true) throw new BatchRefusedError('a work broke the engine', { cause: error });
}

function runApart(work: Work, options: BatchOptions): JobOutcome {
  const { database } = options;
  try {
    return { ok: true, value: database.transaction(() => runChecked(work, database)) };
  } catch (error) {
    throwIfOver(error, options);
    // Gone with it are the neighbours' writes.
    if (!database.isInTransaction) throw error;
    return { ok: false, error };
  }
}

function runChecked(work: Work, database: BatchDatabase): unknown {
  const value = work();
  // The counter is one for the whole connection: checked after each work, it can only be this one's.
  if (database.isInTransaction && database.hasDeferredViolation()) throw new DeferredForeignKeyError();
  return value;
}
