import { onTestFinished } from 'vitest';
import { openMemory } from '../../worker/sqlite/open-memory';
import { Scheduler, type SchedulerOptions } from '../../worker/scheduler/scheduler';
import type { JobHandle, JobOutcome } from '../../worker/scheduler/job';

/** One call as a test sees it: its handle, and its outcome once it has one. */
export interface Call extends JobHandle {
  readonly outcome: Promise<JobOutcome>;
}

/** A scheduler on a fresh database in memory, with a clock that stands still and a log of what was committed. */
export async function setup(options: Partial<SchedulerOptions> = {}) {
  const { database, close } = await openMemory();
  onTestFinished(close);
  database.exec(`
    CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
    CREATE TABLE parents (id INTEGER PRIMARY KEY);
    CREATE TABLE children (
      id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED
    );`);
  const clock = { epochMs: 1_000, monotonicMs: 0 };
  const commits: number[] = [];
  let failCommits = 0;
  let transactions = 0;
  const scheduler = new Scheduler({
    database: {
      get isInTransaction() {
        return database.isInTransaction;
      },
      hasDeferredViolation: () => database.hasDeferredViolation(),
      transaction: (work) => {
        if (database.isInTransaction) return database.transaction(work);
        transactions += 1;
        return database.transaction(() => {
          const value = work();
          if (failCommits > 0) {
            failCommits -= 1;
            throw new Error('the commit failed');
          }
          return value;
        });
      },
    },
    now: () => clock.epochMs,
    monotonicMs: () => clock.monotonicMs,
    yieldTurn: () => new Promise((resolve) => setImmediate(resolve)),
    afterCommit: ({ calls }) => commits.push(calls),
    ...options,
  });

  function submit(kind: 'read' | 'write', work: () => unknown, deadlineAt: number | null = null): Call {
    let cancel = (): boolean => false;
    const outcome = new Promise<JobOutcome>((settle) => {
      const handle = scheduler.submit({ kind, work, deadlineAt, settle });
      cancel = () => handle.cancel();
    });
    return { outcome, cancel };
  }

  return {
    database,
    scheduler,
    clock,
    /** Calls in each commit, oldest first. */
    commits,
    /** Transactions begun, committed or not. */
    countTransactions: () => transactions,
    failNextCommits: (count: number) => (failCommits = count),
    read: (work: () => unknown, deadlineAt?: number | null) => submit('read', work, deadlineAt),
    write: (work: () => unknown, deadlineAt?: number | null) => submit('write', work, deadlineAt),
    addNote: (text: string) =>
      submit('write', () => database.prepare('INSERT INTO notes (text) VALUES (?)').run([text]).changes),
    readNotes: () =>
      database
        .prepare('SELECT text FROM notes ORDER BY id')
        .all()
        .map(({ text }) => text),
  };
}
