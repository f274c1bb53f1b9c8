/**
 * One writer's life: from the lock to the death of its worker. It serves every tab of the database, tells them what
 * each commit moved, and lets go of the permits of tabs that are gone.
 *
 *   openWriter → announce → hello/welcome … invoke → scheduler → commit → change → … → stop
 *
 * Failure: when the epoch was raised by somebody else, the disk refuses the batch's own statements or the engine traps, nothing more is
 * written: `onFatal` is called once, and whoever waits for an answer asks the next writer.
 * Not promised: an order between calls of different tabs other than that in which they arrived.
 */
import { LIBRARY_CODES } from '../../src/domain/error-codes';
import { TidelockError } from '../../src/domain/tidelock-error';
import type { DiscoveryMessage, WriterIdentity, CoordinatorView } from '../../src/protocol/discovery';
import { judgeBuild, type Build } from '../../src/protocol/build';
import { PROTOCOL_VERSION } from '../../src/protocol/limits';
import { DiscoveryChannel } from '../../src/transport/discovery-channel';
import { CallRunner } from '../gateway/call-runner';
import { SessionPort } from '../gateway/session-port';
import { Scheduler } from '../scheduler/scheduler';
import type { TurnYielder } from '../scheduler/yield-turn';
import { isEngineTrap } from '../sqlite/engine-trap';
import { isSameView, readCoordinatorView } from '../stores/coordinator-view';
import { assertWriterEpoch } from '../stores/writer-epoch';
import type { OpenedWriter } from './open-writer';
import { Retention } from './retention';
import { Sessions } from './sessions';
import { isNewerStandby } from './standby';
import type { WorkerPlatform } from './worker-platform';

/** Lets the answer to whoever asked for the hand-over get out. */
const HAND_OVER_AFTER_MS = 0;

export interface WriterOptions {
  readonly platform: WorkerPlatform;
  readonly db: string;
  /** The session whose worker this is. */
  readonly sessionId: string;
  readonly build: Build;
  readonly writer: OpenedWriter;
  readonly onFatal: (error: unknown) => void;
  /** After a hand-over: the database is closed and its files are free. */
  readonly onHandedOver: () => void;
}

export class Writer {
  readonly #platform: WorkerPlatform;
  readonly #identity: WriterIdentity;
  readonly #writer: OpenedWriter;
  readonly #channel: DiscoveryChannel;
  readonly #scheduler: Scheduler;
  readonly #sessions: Sessions;
  readonly #turns: TurnYielder;
  readonly #retention: Retention;
  readonly #onHandedOver: () => void;
  #isHandingOver = false;
  #view: CoordinatorView;

  constructor({ platform, db, sessionId, build, writer, onFatal, onHandedOver }: WriterOptions) {
    const { context, opened, epoch, now, safeFrom } = writer;
    const { serverInstanceId } = context;
    this.#platform = platform;
    this.#onHandedOver = onHandedOver;
    this.#writer = writer;
    this.#turns = platform.makeTurnYielder();
    const { storage, databaseId } = opened;
    const full = { ...build, safeFrom };
    this.#identity = { serverInstanceId, epoch, sessionId, storage, databaseId, build: full };
    this.#view = readCoordinatorView(opened.database);
    this.#channel = new DiscoveryChannel(platform, { db, self: serverInstanceId }, (message) =>
      this.#hear(message),
    );
    this.#scheduler = new Scheduler({
      database: opened.database,
      now,
      monotonicMs: () => platform.monotonicMs(),
      yieldTurn: this.#turns.yieldTurn,
      beginBatch: () => {
        assertWriterEpoch(opened.database, epoch);
        context.changes.begin();
      },
      isFatal: isEngineTrap,
      afterCommit: () => this.#announceChange(),
      onFatal,
      onCallbackError: (error) => platform.report(error),
    });
    const runner = new CallRunner({ scheduler: this.#scheduler, marks: context.marks });
    this.#sessions = new Sessions({
      platform,
      db,
      serverInstanceId,
      makePort: (id) =>
        new SessionPort(context, { sessionId: id, runner, handOver: () => this.#planHandOver() }),
      onGone: (id) => this.#abandonHolder(id),
    });
    for (const id of writer.adoptedSessionIds) this.#sessions.watch(id);
    this.#retention = new Retention({ platform, context, run: (work) => this.#run(work) });
    this.#channel.send(null, { kind: 'writer', writer: this.#identity });
  }

  /** Serves nobody any more and closes the database. Calls that wait are not answered: the next writer is asked. Idempotent. */
  stop(error: unknown): void {
    this.#retention.stop();
    this.#scheduler.close(error);
    this.#sessions.close();
    this.#channel.close();
    this.#turns.close();
    this.#writer.opened.close();
  }

  /** Builds may differ in two ways: one with a newer library and too few of the app's migrations could not even open. */
  #mayServe({ body, protocol }: DiscoveryMessage): boolean {
    if (protocol !== PROTOCOL_VERSION || body.kind !== 'stand') return true;
    return judgeBuild(body.build, this.#identity.build) === 'newer';
  }

  /** The next writer may not serve the tabs that this one serves: what they asked so far is answered first. */
  #drainAndHandOver(): void {
    if (this.#isHandingOver) return;
    this.#run(() => undefined).then(
      () => this.#planHandOver(),
      () => undefined, // the writer has ended by itself
    );
  }

  /** Between two batches, once the answer is on its way: whoever waits asks the next writer, and nobody is to blame. */
  #planHandOver(): void {
    if (this.#isHandingOver) return;
    this.#isHandingOver = true;
    this.#platform.after(HAND_OVER_AFTER_MS, () => {
      this.#channel.send(null, { kind: 'leave', writer: this.#identity });
      try {
        this.stop(handedOver());
      } finally {
        // A worker that could not close its files frees them by ending; it must not keep the place.
        this.#onHandedOver();
      }
    });
  }

  #hear(message: DiscoveryMessage): void {
    const { body, from, protocol } = message;
    const { build } = this.#identity;
    if (isNewerStandby(message, build) && this.#mayServe(message)) this.#drainAndHandOver();
    if (body.kind !== 'hello') return;
    if (protocol !== PROTOCOL_VERSION || judgeBuild(body.build, build) !== 'served') {
      this.#channel.send(from, { kind: 'refuse', writer: this.#identity });
      return;
    }
    this.#sessions.serve(from);
    const { commit } = this.#writer.context.changes;
    this.#channel.send(from, { kind: 'welcome', writer: this.#identity, coordinator: this.#view, commit });
  }

  #announceChange(): void {
    const { changes } = this.#writer.context;
    const view = readCoordinatorView(this.#writer.opened.database);
    const change = changes.close();
    if (change === null && isSameView(view, this.#view)) return;
    this.#view = view;
    const { commit, tables } = change ?? { commit: changes.commit, tables: [] };
    this.#channel.send(null, { kind: 'change', writer: this.#identity, coordinator: view, commit, tables });
  }

  #abandonHolder(holderId: string): void {
    const { stores, serverInstanceId } = this.#writer.context;
    this.#run(() =>
      stores.permits.abandonHolderPermits({ holderId, currentServerInstanceId: serverInstanceId }),
    ).catch(() => undefined); // told by #run; the permits expire at their deadline
  }

  /** Work of the writer's own, among the tabs' calls. A failure is reported and rejects. */
  #run<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      let value: T;
      this.#scheduler.submit({
        kind: 'write',
        deadlineAt: null,
        work: () => (value = work()),
        settle: (outcome) => {
          if (outcome.ok) resolve(value);
          else {
            this.#platform.report(outcome.error);
            reject(outcome.error);
          }
        },
      });
    });
  }
}

/** What waits is rejected with it, and nobody hears of it: the lines are closed. */
function handedOver(): TidelockError {
  return new TidelockError(LIBRARY_CODES.OUTCOME_UNKNOWN, 'The writer handed over; ask the next one.');
}
