/**
 * One life of this page among the tabs of a database: a session lock, a place on the discovery channel, a worker of
 * its own, and a line to whichever worker is the writer. A page that returns from the back/forward cache starts
 * another session behind the same client object.
 *
 *   lock held → channel open → hello … welcome → link → (another writer) hello … welcome → link → … → stop
 *
 * Rules: the id is fresh each time and never stored, so a duplicated tab is another session; hello is repeated until
 * the newest writer heard of has welcomed this tab; a welcome of an earlier writer than the present link's is ignored.
 * A tab is served by a writer of its own build or of a newer one that is safe for it; a newer build than the writer's
 * waits until its own worker has been given the place, an outdated one is told so.
 */
import { holdLock } from '../election/locks';
import { WorkerKeeper } from '../election/worker-keeper';
import { findWriterHolder, type WriterHolder } from '../election/writer-holder';
import type { TabPlatform } from '../platform/platform';
import { judgeBuild, type Build } from '../protocol/build';
import type { CoordinatorView, DiscoveryMessage, StorageKind, WriterIdentity } from '../protocol/discovery';
import { PROTOCOL_VERSION } from '../protocol/limits';
import { lockNames } from '../protocol/names';
import type { WorkerStage } from '../protocol/worker-port';
import { DiscoveryChannel } from '../transport/discovery-channel';
import { WriterLink } from '../transport/writer-link';

/** Between two hellos while no writer answers: a lost message costs at most this. */
const HELLO_INTERVAL_MS = 500;

/** So many hellos without an answer, about two seconds, and whoever holds the writer's lock is named. */
const MANY_HELLOS = 4;

/** What only a writer says. */
const WRITERS_KINDS: readonly string[] = [
  'writer',
  'welcome',
  'refuse',
  'change',
] satisfies readonly DiscoveryMessage['body']['kind'][];

export interface SessionEvents {
  /** `diedEpoch`: of the writer that served so far, where it is gone and did not say goodbye. */
  onLink(link: WriterLink, options: { readonly diedEpoch: number | null }): void;
  onCoordinator(view: CoordinatorView, writer: WriterIdentity): void;
  onStage(stage: WorkerStage, deadlineAt: number | null): void;
  /** Who holds the writer's lock and does not greet back; null where nobody does. */
  onUnserved(holder: WriterHolder | null): void;
  /** This tab's worker failed and is tried again. */
  onWorkerTrouble(error: Error): void;
  /** This tab's worker failed for good. */
  onWorkerFailed(error: Error): void;
  /** The page's worker file is of this build. */
  onBuild(build: Build): void;
  /** A writer of an older build has the place, and does not serve this tab: its own worker is to be given it. */
  onOlderWriter(writer: WriterIdentity): void;
  /** A writer of a newer build has taken the database over, and does not serve this one; null where it speaks another protocol. */
  onOutdated(writer: WriterIdentity | null): void;
}

export interface SessionOptions {
  readonly platform: TabPlatform;
  readonly db: string;
  readonly storage: StorageKind;
  readonly acceptLossOf: string | null;
  readonly factory: () => Worker;
  /** The worker file's, as an earlier session of this page has learned it. */
  readonly build: Build | null;
  /** Not the page's first session. */
  readonly isReturning: boolean;
  readonly events: SessionEvents;
}

export class TabSession {
  readonly sessionId: string;
  readonly #options: SessionOptions;
  readonly #keeper: WorkerKeeper;
  readonly #stopped = new AbortController();
  #channel: DiscoveryChannel | undefined;
  #build: Build | null;
  #link: WriterLink | undefined;
  /** The newest writer heard of: until the link is to it, this tab is greeting. */
  #newest: WriterIdentity | undefined;
  /** The writer of the link has fallen silent: perhaps there is another one. */
  #isLinkInDoubt = false;
  /** Writers whose pages said that they end. */
  readonly #left = new Set<string>();
  /** Hellos in a row that no writer answered. */
  #unanswered = 0;
  #stopGreeting: (() => void) | undefined;
  #releaseLock: (() => void) | undefined;

  /** Fires when this session ends; what it asked of the upstream should stop then. */
  get ended(): AbortSignal {
    return this.#stopped.signal;
  }

  constructor(options: SessionOptions) {
    this.#options = options;
    const { platform, db, storage, acceptLossOf, factory, isReturning, events } = options;
    this.sessionId = platform.randomUuid();
    this.#build = options.build;
    this.#keeper = new WorkerKeeper({
      platform,
      db,
      storage,
      acceptLossOf,
      factory,
      sessionId: this.sessionId,
      isReturning,
      onBuild: (build) => this.#learnBuild(build),
      onTrouble: (error) => events.onWorkerTrouble(error),
      onStage: (stage, deadlineAt) => events.onStage(stage, deadlineAt),
      onFailed: (error) => events.onWorkerFailed(error),
    });
  }

  /** Called once. */
  async start(): Promise<void> {
    const { platform, db } = this.#options;
    const release = await holdLock(platform.locks, lockNames.session(db, this.sessionId));
    if (this.#stopped.signal.aborted) {
      release();
      return;
    }
    this.#releaseLock = release;
    this.#channel = new DiscoveryChannel(platform, { db, self: this.sessionId }, (message) =>
      this.#hear(message),
    );
    this.#stopGreeting = platform.every(HELLO_INTERVAL_MS, () => this.#greet());
    this.#greet();
    this.#keeper.start();
  }

  /** Ends worker, line and lock, in that order: whoever learns of the free lock finds the worker gone too. Idempotent. */
  stop(): void {
    this.#stopped.abort();
    this.#stopGreeting?.();
    this.#sayGoodbye();
    this.#keeper.stop();
    this.#channel?.close();
    this.#link?.close();
    this.#releaseLock?.();
  }

  /** The worker of this tab was given up for something that is over. */
  reviveWorker(): void {
    this.#keeper.revive();
  }

  /** The writer of the link says nothing: whoever is the writer now should say so. */
  doubtLink(): void {
    this.#isLinkInDoubt = true;
    this.#greet();
  }

  /** It speaks again. */
  trustLink(): void {
    this.#isLinkInDoubt = false;
    this.#unanswered = 0;
  }

  #learnBuild(build: Build): void {
    this.#build = build;
    this.#options.events.onBuild(build);
    this.#greet();
  }

  /**
   * Where no writer was heard of yet, everyone is asked. Not before this page's worker file has loaded: an older writer
   * would not know what the page may ask.
   */
  #greet(): void {
    if (this.#isCurrent(this.#newest) && !this.#isLinkInDoubt) return;
    if (this.#build === null) return;
    this.#channel?.send(null, { kind: 'hello', build: this.#build });
    this.#unanswered += 1;
    if (this.#unanswered > MANY_HELLOS) this.#lookForHolder();
  }

  #lookForHolder(): void {
    const { platform, db, events } = this.#options;
    findWriterHolder(platform.locks, db).then(
      (holder) => {
        if (this.#unanswered <= MANY_HELLOS || this.#stopped.signal.aborted) return;
        events.onUnserved(holder);
      },
      () => undefined, // nothing is known then; the next hello asks again
    );
  }

  /** So that no call is blamed for the death of a writer whose page just ends. */
  #sayGoodbye(): void {
    const writer = this.#link?.writer;
    if (writer?.sessionId === this.sessionId) this.#channel?.send(null, { kind: 'leave', writer });
  }

  #hearOf(writer: WriterIdentity): void {
    if (supersedes(writer, this.#newest)) this.#newest = writer;
    this.#greet();
  }

  #hear({ body, protocol }: DiscoveryMessage): void {
    if (protocol !== PROTOCOL_VERSION) {
      // An older one is for this tab's own worker to replace.
      if (protocol > PROTOCOL_VERSION && WRITERS_KINDS.includes(body.kind))
        this.#options.events.onOutdated(null);
      return;
    }
    if (WRITERS_KINDS.includes(body.kind) && 'writer' in body && this.#build !== null) {
      const verdict = judgeBuild(this.#build, body.writer.build);
      if (verdict === 'outdated') {
        this.#options.events.onOutdated(body.writer);
        return;
      }
      if (verdict === 'newer' && !this.#isCurrent(body.writer)) {
        this.#unanswered = 0;
        this.#options.events.onOlderWriter(body.writer);
        return;
      }
    }
    switch (body.kind) {
      case 'writer':
        this.#hearOf(body.writer);
        return;
      case 'welcome':
        this.#connect(body.writer);
        if (this.#isCurrent(body.writer)) this.#options.events.onCoordinator(body.coordinator, body.writer);
        return;
      case 'change':
        if (this.#isCurrent(body.writer)) this.#options.events.onCoordinator(body.coordinator, body.writer);
        else this.#hearOf(body.writer);
        return;
      case 'leave':
        this.#left.add(body.writer.serverInstanceId);
        return;
      case 'refuse': // judged above
      case 'hello': // for the writer
      case 'stand': // for workers
        return;
    }
  }

  #connect(writer: WriterIdentity): void {
    const earlier = this.#link;
    if (this.#isCurrent(writer)) {
      this.#newest = writer;
      this.trustLink();
    }
    if (!supersedes(writer, earlier?.writer)) return;
    this.#newest = writer;
    earlier?.close();
    const { platform, db, events } = this.#options;
    this.#link = new WriterLink(platform, { db, sessionId: this.sessionId, writer });
    this.trustLink();
    const hasEarlierDied = earlier !== undefined && !this.#left.has(earlier.writer.serverInstanceId);
    const diedEpoch = hasEarlierDied ? earlier.writer.epoch : null;
    events.onLink(this.#link, { diedEpoch });
  }

  #isCurrent(writer: WriterIdentity | undefined): boolean {
    return writer !== undefined && writer.serverInstanceId === this.#link?.writer.serverInstanceId;
  }
}

/** Whether a writer came after another. Each database has epochs of its own: one in memory begins anew with each writer. */
function supersedes(writer: WriterIdentity, earlier: WriterIdentity | undefined): boolean {
  if (earlier === undefined) return true;
  if (writer.serverInstanceId === earlier.serverInstanceId) return false;
  return writer.databaseId !== earlier.databaseId || writer.epoch > earlier.epoch;
}
