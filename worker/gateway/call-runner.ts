/**
 * Runs the calls of all tabs on the scheduler, and knows which are under way.
 *
 *   call ───────────────────────────────────────────→ scheduler → answer
 *   call that a writer died with → its turn → mark → alone → answer, the mark goes with what it commits
 *
 * Rules: a call that may have killed a writer runs one at a time and in no company, so that a mark left behind by the
 * next death names the one to blame; two deaths under its mark, and it is not run again.
 * Not promised: who is to blame for a death without a mark, or for a first one under it. A tab that is killed from
 * outside just then would condemn an innocent call; twice with the same call is no accident.
 */
import { LIBRARY_CODES } from '../../src/domain/error-codes';
import { TidelockError, isTidelockError } from '../../src/domain/tidelock-error';
import type { CallEnvelope } from '../../src/protocol/call';
import { CALLS, type CallKind, type CallName } from '../../src/protocol/surface';
import type { Job, JobHandle, JobOutcome } from '../scheduler/job';
import type { Scheduler } from '../scheduler/scheduler';
import type { CallMarks } from '../stores/call-marks';

/** So many writers' deaths while they ran a call alone, and it is taken for their cause. */
const DEATHS_TO_BLAME = 2;

export interface CallRunnerOptions {
  readonly scheduler: Scheduler;
  readonly marks: CallMarks;
}

interface Running {
  isCancelled: boolean;
  job: JobHandle | undefined;
}

export class CallRunner {
  readonly #options: CallRunnerOptions;
  /** A page that returns asks again while its first question still waits: the same call may be here twice. */
  readonly #underWay = new Map<string, Set<Running>>();
  /** Ends with the last of the suspects that wait for their turn. */
  #suspects: Promise<void> = Promise.resolve();

  constructor(options: CallRunnerOptions) {
    this.#options = options;
  }

  /** Runs `work` as the call's, once `after` is over. Registered as under way at once. */
  async run(envelope: CallEnvelope, work: () => unknown, after?: Promise<void>): Promise<unknown> {
    const { callId, deaths } = envelope;
    const running: Running = { isCancelled: false, job: undefined };
    this.#register(callId, running);
    try {
      if (after !== undefined) await after;
      if (deaths === 0)
        return await this.#submit(running, envelope, { kind: kindOf(envelope.call), work, isAlone: false });
      return await this.#inTurn(() => this.#runMarked(running, envelope, work));
    } finally {
      this.#forget(callId, running);
    }
  }

  /** What has not run yet ends as ABORTED. */
  cancel(callId: string): void {
    for (const running of this.#underWay.get(callId) ?? []) {
      running.isCancelled = true;
      running.job?.cancel();
    }
  }

  isUnderWay(callId: string): boolean {
    return this.#underWay.has(callId);
  }

  #register(callId: string, running: Running): void {
    const runs = this.#underWay.get(callId);
    if (runs === undefined) this.#underWay.set(callId, new Set([running]));
    else runs.add(running);
  }

  #forget(callId: string, running: Running): void {
    const runs = this.#underWay.get(callId);
    runs?.delete(running);
    if (runs?.size === 0) this.#underWay.delete(callId);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#suspects.then(work);
    this.#suspects = result.then(
      () => undefined,
      () => undefined, // its caller hears of it; the next in line does not care
    );
    return result;
  }

  async #runMarked(running: Running, envelope: CallEnvelope, work: () => unknown): Promise<unknown> {
    const { callId, call } = envelope;
    const { marks } = this.#options;
    const isWrite = kindOf(call) === 'write';
    let hasCleared = false;
    await this.#mark(running, envelope);
    try {
      const value = await this.#submit(running, envelope, {
        kind: kindOf(call),
        isAlone: true,
        work: () => {
          const result = work();
          if (isWrite) marks.clear(callId);
          return result;
        },
      });
      hasCleared = isWrite;
      return value;
    } finally {
      if (!hasCleared) await this.#clearMark(callId);
    }
  }

  /** A read goes on without a mark where the disk has no room for one. @throws TidelockError CALL_CRASHED_WRITER */
  async #mark(running: Running, envelope: CallEnvelope): Promise<void> {
    const work = (): void => {
      const { marks } = this.#options;
      const deaths = marks.countDeaths(envelope.callId, envelope.diedEpoch);
      if (deaths >= DEATHS_TO_BLAME) throw culprit(envelope);
      marks.set(envelope.callId, deaths);
    };
    try {
      await this.#submit(running, envelope, { kind: 'write', isAlone: false, work });
    } catch (error) {
      const isStorage = isTidelockError(error) && error.code.startsWith('STORAGE_');
      if (!isStorage || kindOf(envelope.call) === 'write') throw error;
    }
  }

  /** Never rejects: a mark that stays does no harm to a call that is answered. */
  #clearMark(callId: string): Promise<void> {
    return new Promise((resolve) => {
      this.#options.scheduler.submit({
        kind: 'write',
        deadlineAt: null,
        work: () => this.#options.marks.clear(callId),
        settle: () => resolve(),
      });
    });
  }

  #submit(
    running: Running,
    { deadlineAt }: CallEnvelope,
    job: Pick<Job, 'kind' | 'work' | 'isAlone'>,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (running.isCancelled) throw cancelled();
      const settle = (outcome: JobOutcome): void => {
        if (outcome.ok) resolve(outcome.value);
        else reject(outcome.error instanceof Error ? outcome.error : new Error(String(outcome.error)));
      };
      running.job = this.#options.scheduler.submit({ ...job, deadlineAt, settle });
    });
  }
}

export function kindOf(call: CallName): Job['kind'] {
  return CALLS[call].kind === 'read' ? 'read' : 'write';
}

function culprit({ callId, call, deaths }: CallEnvelope): TidelockError {
  const { repeat }: CallKind = CALLS[call];
  // A receipt would have been found by now; a row may have been written before the first death.
  const outcome = repeat === 'row' ? 'unknown' : 'not-executed';
  return new TidelockError(
    LIBRARY_CODES.CALL_CRASHED_WRITER,
    `${String(deaths)} writers died with ${call}, two of them while they ran nothing else. It is not run again.`,
    { details: { call, callId, deaths, outcome } },
  );
}

function cancelled(): TidelockError {
  return new TidelockError(LIBRARY_CODES.ABORTED, 'The call was cancelled before it ran.', {
    details: { outcome: 'not-executed' },
  });
}
