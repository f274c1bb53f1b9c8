/**
 * The page's presence among the tabs, through its whole life: a session while the page is shown, none while it sits
 * in the back/forward cache (there it would keep its worker's lock and file handles and starve every other tab), and
 * another one when it returns. Calls made meanwhile wait in the call layer.
 *
 *   start → session ──pagehide, freeze──→ none ──pageshow (persisted), resume──→ session → … → stop
 */
import { makeDeferred } from '../domain/deferred';
import { LIBRARY_CODES } from '../domain/error-codes';
import { isTidelockError, TidelockError } from '../domain/tidelock-error';
import { findWriterHolder, type WriterHolder } from '../election/writer-holder';
import type { Build } from '../protocol/build';
import type { WriterIdentity } from '../protocol/discovery';
import type { CallLayer } from './call-layer';
import { TabSession, type SessionEvents, type SessionOptions } from './session';
import { StatusBoard } from './status';
import { OUTDATED, type Silence } from './unanswered';

export interface PresenceOptions extends Omit<SessionOptions, 'events' | 'isReturning' | 'build'> {
  /** The database's name as the app has it; `db` is what its tabs meet under. */
  readonly name: string;
  readonly calls: CallLayer;
}

export class Presence {
  readonly board: StatusBoard;
  readonly #options: PresenceOptions;
  /** Every writer that ever served this client, the present one included. */
  readonly #knownWriters = new Set<string>();
  readonly #firstWriter = makeDeferred<void>();
  readonly #stopped = new AbortController();
  /** Who holds the writer's lock and says nothing. */
  #unservedBy: WriterHolder | null = null;
  /** Of the database that served this client last. */
  #databaseId: string | null = null;
  #session: TabSession;
  #build: Build | null = null;
  /** The page is hidden for good, cached or frozen: it has no session. */
  #isAway = false;

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#firstWriter.promise.catch(() => undefined); // who waits for it hears of it; nobody else must
    this.#session = this.#makeSession();
    this.board = new StatusBoard(options.name, this.#session.sessionId, (error) =>
      options.platform.report(error),
    );
  }

  /** Called once. Resolves when a first writer serves this tab; rejects with what makes that impossible. */
  async start(): Promise<void> {
    const { signal } = this.#stopped;
    const { page } = this.#options.platform;
    page.addEventListener('pagehide', () => this.#leave(), { signal });
    page.addEventListener('freeze', () => this.#leave(), { signal });
    page.addEventListener('resume', () => this.#return(), { signal });
    page.addEventListener('pageshow', (event) => isPersisted(event) && this.#return(), { signal });
    // `fail` ends the waiting, whatever the session is waiting for.
    await Promise.race([this.#session.start(), this.#firstWriter.promise]);
    await this.#firstWriter.promise;
  }

  /** The session of this moment; its `ended` fires when the page hides or the client closes. */
  get session(): Pick<TabSession, 'ended' | 'sessionId'> {
    return this.#session;
  }

  get isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  /** Whether this client was ever served by that writer. */
  hasKnownWriter(serverInstanceId: string): boolean {
    return this.#knownWriters.has(serverInstanceId);
  }

  /** Why a call may get no answer. */
  explain(): Silence {
    return { holder: this.#unservedBy, cause: this.board.current.workerError ?? undefined };
  }

  /** The writer that serves this tab has fallen silent, or speaks again. */
  seeSilence(isSilent: boolean): void {
    if (this.isStopped) return;
    if (isSilent) {
      this.#session.doubtLink();
      this.#lookAtSilentWriter();
    } else {
      this.#session.trustLink();
      this.#unservedBy = null;
      this.board.update({ connection: 'connected' });
    }
  }

  /** Silent and gone are not the same: one that is gone holds no lock, and another is on its way. */
  #lookAtSilentWriter(): void {
    const { platform, db, calls } = this.#options;
    const { writer } = this.board.current;
    findWriterHolder(platform.locks, db).then(
      (holder) => {
        if (this.isStopped || !calls.isWriterSilent || writer !== this.board.current.writer) return;
        const isStillThere = holder !== null && holder.sessionId === writer?.sessionId;
        this.#seeHolder(isStillThere ? holder : null);
      },
      () => undefined, // nothing is known then
    );
  }

  #seeHolder(found: WriterHolder | null): void {
    const { workerStage } = this.board.current;
    // This tab's own worker on its way to serving is nobody to complain of: its stages have their times.
    const isOwnStart = found?.sessionId === this.#session.sessionId && workerStage !== 'serving';
    const holder = isOwnStart ? null : found;
    this.#unservedBy = holder;
    const connection = holder === null ? 'connecting' : 'unresponsive';
    if (this.board.current.connection !== connection) this.board.update({ connection });
  }

  /** Ends `start`'s waiting with an error, if it still waits. */
  fail(error: unknown): void {
    this.#firstWriter.reject(error);
  }

  /** Idempotent. */
  stop(): void {
    this.#stopped.abort();
    this.#session.stop();
  }

  #leave(): void {
    this.#isAway = true;
    this.#session.stop();
    this.#unservedBy = null;
    this.#options.calls.detach();
  }

  #return(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#session = this.#makeSession();
    this.board.update({ sessionId: this.#session.sessionId, connection: 'connecting', writer: null });
    this.#session.start().catch((error: unknown) => this.#options.platform.report(error));
  }

  #makeSession(): TabSession {
    const { platform, db, storage, acceptLossOf, factory } = this.#options;
    return new TabSession({
      platform,
      db,
      storage,
      acceptLossOf,
      factory,
      build: this.#build,
      isReturning: this.#knownWriters.size > 0,
      events: this.#events,
    });
  }

  /** The page is of an older build: it asks nothing more, and its worker never stands for writer again. */
  #retire(error: TidelockError): void {
    if (this.isStopped) return;
    // First the status: what ends with the session looks there for the reason.
    this.board.update({ connection: 'outdated', workerError: error });
    this.stop();
    this.#options.calls.close(LIBRARY_CODES.UPGRADE_REQUIRED);
    this.fail(error);
    this.board.tellUpgradeRequired(error);
  }

  #seeWorkerFailed(error: Error): void {
    this.board.update({ workerError: error });
    this.fail(error);
    if (this.#knownWriters.size === 0 || !isTidelockError(error)) return;
    if (error.code === LIBRARY_CODES.SCHEMA_TOO_NEW)
      this.#retire(upgradeRequired({ build: this.#build, writer: null, cause: error }));
    else if (RELOADABLE.includes(error.code)) this.board.tellUpgradeRequired(error);
  }

  /**
   * What was asked of a database that is lost is not asked of the one that was started in its place. This tab's worker,
   * which found it lost, can open that one.
   */
  #seeDatabase({ databaseId, storage }: WriterIdentity): void {
    const isAnother = this.#databaseId !== null && this.#databaseId !== databaseId;
    this.#databaseId = databaseId;
    if (!isAnother || storage !== 'opfs') return;
    this.#options.calls.lose();
    if (this.board.current.workerStage === 'failed') this.#session.reviveWorker();
  }

  readonly #events: SessionEvents = {
    onLink: (link, options) => {
      this.#unservedBy = null;
      this.#seeDatabase(link.writer);
      this.#knownWriters.add(link.writer.serverInstanceId);
      this.#options.calls.attach(link, options);
    },
    onUnserved: (holder) => this.#seeHolder(holder),
    onCoordinator: (view, writer) => {
      this.board.see(view, writer);
      this.#firstWriter.resolve();
    },
    onStage: (workerStage, deadlineAt) => this.board.seeStage(workerStage, deadlineAt),
    onWorkerTrouble: (error) => this.board.update({ workerError: error }),
    onWorkerFailed: (error) => this.#seeWorkerFailed(error),
    onBuild: (build) => {
      this.#build = build;
    },
    onOlderWriter: (writer) => {
      const { workerStage, workerError } = this.board.current;
      if (workerStage !== 'failed') return; // its own worker asks for the place
      this.#retire(upgradeRequired({ build: this.#build, writer, cause: workerError ?? undefined }));
    },
    onOutdated: (writer) => this.#retire(upgradeRequired({ build: this.#build, writer })),
  };
}

/** A worker of this tab's that fails so will succeed once the page is loaded anew; others may serve the tab meanwhile. */
const RELOADABLE: readonly string[] = [LIBRARY_CODES.WORKER_LOAD_FAILED, LIBRARY_CODES.PROTOCOL_MISMATCH];

function upgradeRequired({
  build,
  writer,
  cause,
}: {
  readonly build: Build | null;
  readonly writer: WriterIdentity | null;
  readonly cause?: Error | undefined;
}): TidelockError {
  return new TidelockError(LIBRARY_CODES.UPGRADE_REQUIRED, OUTDATED, {
    details: { build, writer: writer?.build ?? null },
    cause,
  });
}

/** Whether the page comes out of the back/forward cache, and is not shown for the first time. */
function isPersisted(event: Event): boolean {
  return 'persisted' in event && event.persisted === true;
}
