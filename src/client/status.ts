import { refuseInput } from '../domain/refuse-input';
import type { CoordinatorState } from '../domain/coordinator-state';
import type { CoordinatorView, StorageKind, WriterIdentity } from '../protocol/discovery';
import type { WorkerStage } from '../protocol/worker-port';

/** A picture of this client at one moment; a new object whenever something in it changed. */
export interface TideStatus {
  /** The database name. */
  readonly db: string;
  /** This page's session; changes when the page returns from the back/forward cache. */
  readonly sessionId: string;
  /**
   * `connecting` until a writer answers, while a newer build's tab waits for its own worker to get the place, and again
   * when this tab's worker was the writer and died; `unresponsive` while
   * one keeps its place and says nothing, calls waiting; `outdated` for good, once a newer build has taken over: reload
   * the page. The death of another tab's writer is not seen until the next
   * one is there.
   */
  readonly connection: 'connecting' | 'connected' | 'unresponsive' | 'outdated' | 'closed';
  /** Whether this tab's own worker is the writer. */
  readonly role: 'writer' | 'follower';
  /** Where this tab's own worker stands; `waiting` is the normal state of a follower's. */
  readonly workerStage: WorkerStage;
  /** When that stage counts as hung and another worker is made, in epoch milliseconds; null where it may last. */
  readonly workerStageDeadlineAt: number | null;
  /** What last went wrong with this tab's own worker; null while it is well. Another tab's may serve this one. */
  readonly workerError: Error | null;
  /** The writer that serves this tab; null before the first. */
  readonly writer: WriterIdentity | null;
  readonly storage: StorageKind | null;
  /**
   * Whether the browser has promised to keep what this origin stores; null where it does not say. As this tab saw it
   * last: at its start, at `persist`, and when the user came back to it.
   */
  readonly persisted: boolean | null;
  /** The active workspace; null before the first was opened. */
  readonly workspaceId: string | null;
  readonly generation: number;
  readonly ownershipMode: string;
  readonly transitionState: string;
  /** Moves with every local write; compare it, or listen to `change`. */
  readonly localDataVersion: number;
}

export interface TideEvents {
  /** Local data moved: read again what you show. */
  change: { readonly workspaceId: string | null; readonly localDataVersion: number };
  status: TideStatus;
  /** Another workspace became the active one. */
  workspace: { readonly workspaceId: string | null; readonly generation: number };
  /**
   * This page is of a build that has no future: a newer one has taken the database over (UPGRADE_REQUIRED, and so end
   * all calls from now on), or its worker file is gone from the server or another one by now (WORKER_LOAD_FAILED,
   * PROTOCOL_MISMATCH; other tabs may still serve it). Save what the user is at and reload the page.
   */
  'upgrade-required': { readonly error: Error };
}

/** The stages of a worker that is not the writer, or not yet. */
const BEFORE_THE_LOCK: readonly WorkerStage[] = ['loading', 'waiting', 'failed'];

type Listener<E extends keyof TideEvents> = (event: TideEvents[E]) => void;

/** Keeps the status and tells listeners. A listener that throws is reported and harms nobody else. */
export class StatusBoard {
  #status: TideStatus;
  /** Of the database that was seen last; outlives the session. */
  #databaseId: string | null = null;
  readonly #listeners: { readonly [E in keyof TideEvents]: Set<Listener<E>> } = {
    change: new Set(),
    status: new Set(),
    workspace: new Set(),
    'upgrade-required': new Set(),
  };

  readonly #report: (error: unknown) => void;

  constructor(db: string, sessionId: string, report: (error: unknown) => void) {
    this.#report = report;
    this.#status = {
      db,
      sessionId,
      connection: 'connecting',
      role: 'follower',
      workerStage: 'loading',
      workerStageDeadlineAt: null,
      workerError: null,
      writer: null,
      storage: null,
      persisted: null,
      workspaceId: null,
      generation: 0,
      ownershipMode: 'stopped',
      transitionState: 'idle',
      localDataVersion: 0,
    };
  }

  get current(): TideStatus {
    return this.#status;
  }

  update(change: Partial<TideStatus>): void {
    const before = this.#status;
    const next = { ...before, ...change };
    const role = isWriter(next) ? 'writer' : 'follower';
    this.#status = { ...next, role };
    this.#emit('status', this.#status);
    if (next.workspaceId !== before.workspaceId) {
      this.#emit('workspace', { workspaceId: next.workspaceId, generation: next.generation });
    }
    if (next.localDataVersion !== before.localDataVersion || next.workspaceId !== before.workspaceId) {
      this.#emit('change', { workspaceId: next.workspaceId, localDataVersion: next.localDataVersion });
    }
  }

  /** What the writer announced; an answer that came by another way may be ahead of it. */
  see(view: CoordinatorView, writer: WriterIdentity): void {
    const { generation, localDataVersion } = this.#status;
    // One in memory begins anew with each writer, one on disk after a loss that was accepted.
    const isNewDatabase = this.#databaseId !== null && writer.databaseId !== this.#databaseId;
    this.#databaseId = writer.databaseId;
    const isBehind = view.generation < generation || view.localDataVersion < localDataVersion;
    const news = isBehind && !isNewDatabase ? {} : view;
    this.update({ ...news, writer, storage: writer.storage, connection: 'connected' });
  }

  /** What a call answered with: it may be ahead of the writer's announcement, never behind the last one. */
  seeState(state: CoordinatorState): void {
    const { generation, localDataVersion } = this.#status;
    if (state.coordinatorGeneration < generation || state.localDataVersion < localDataVersion) return;
    this.update({
      workspaceId: state.activeWorkspaceId,
      generation: state.coordinatorGeneration,
      localDataVersion: state.localDataVersion,
      ownershipMode: state.ownershipMode,
      transitionState: state.transitionState,
    });
  }

  /** A worker of this tab that was the writer and is not serving any more leaves nobody to be connected to. */
  seeStage(workerStage: WorkerStage, workerStageDeadlineAt: number | null): void {
    const isWell = workerStage === 'waiting' || workerStage === 'serving';
    this.update({
      workerStage,
      workerStageDeadlineAt,
      ...(isWell ? { workerError: null } : {}),
      ...(this.#status.role === 'writer' && workerStage !== 'serving' ? { connection: 'connecting' } : {}),
    });
  }

  /** Returns the function that ends the listening; it may be called more than once. */
  on<E extends keyof TideEvents>(event: E, listener: Listener<E>): () => void {
    if (!Object.hasOwn(this.#listeners, event)) refuseInput('event', 'no event of this name');
    if (typeof listener !== 'function') refuseInput('listener', 'not a function');
    const listeners: Set<Listener<E>> = this.#listeners[event];
    const entry: Listener<E> = (value) => listener(value); // one entry a call, even for the same function twice
    listeners.add(entry);
    return () => void listeners.delete(entry);
  }

  /** @param error see the event */
  tellUpgradeRequired(error: Error): void {
    this.#emit('upgrade-required', { error });
  }

  clear(): void {
    for (const listeners of Object.values(this.#listeners)) listeners.clear();
  }

  #emit<E extends keyof TideEvents>(event: E, value: TideEvents[E]): void {
    const listeners: Set<Listener<E>> = this.#listeners[event];
    for (const listener of [...listeners]) {
      try {
        listener(value);
      } catch (error) {
        this.#report(error);
      }
    }
  }
}

/**
 * Whether this tab's own worker serves it. Its welcome and its word that it serves come by different ways: between the
 * two it is on its last stages, and not any more at the first.
 */
function isWriter({ connection, writer, sessionId, workerStage }: TideStatus): boolean {
  const isServed = connection === 'connected' || connection === 'unresponsive';
  return isServed && writer?.sessionId === sessionId && !BEFORE_THE_LOCK.includes(workerStage);
}
