import { LIBRARY_CODES } from '../domain/error-codes';
import type { CoordinatorState, RequestedBy } from '../domain/coordinator-state';
import type { Json } from '../domain/json';
import { refuseInput } from '../domain/refuse-input';
import { TidelockError } from '../domain/tidelock-error';
import type { Platform } from '../platform/platform';
import type { CallOutcome } from '../protocol/call';
import type { AppShape, InputOf, NameOf, OutputOf } from './app-shape';
import type { CallLayer } from './call-layer';
import type { CallOptions } from './call-options';
import type { SessionEnd } from './gateway/bounds';
import type { GatewayContext } from './gateway/gateway-context';
import { pull, type PullOptions, type PullResult } from './gateway/pull';
import { push, type PushOptions, type PushResult } from './gateway/push';
import { PermitsApi } from './permits-api';
import type { Persistence } from './persistence';
import type { Presence } from './presence';
import type { TideEvents, TideStatus } from './status';

/** What `connect` gives this class to stand on. */
export interface TideParts {
  readonly platform: Platform;
  readonly db: string;
  readonly calls: CallLayer;
  readonly presence: Presence;
  readonly persistence: Persistence;
}

/** A tab's client of one database. Made by `connect`; the same object lives until `close`, through every takeover. */
export class Tide<Shape extends AppShape = AppShape> {
  /** The execution permits, operation by operation, for those who drive their requests themselves. */
  readonly permits: PermitsApi;
  readonly #parts: TideParts;
  readonly #gatewayContext: GatewayContext;
  /** The workspace this tab opened; null until it opens one itself, and then the active one is meant. */
  #openedWorkspaceId: string | null = null;

  constructor(parts: TideParts) {
    this.#parts = parts;
    this.permits = new PermitsApi(parts.platform, parts.calls, (id) => parts.presence.hasKnownWriter(id));
    this.#gatewayContext = {
      platform: parts.platform,
      calls: parts.calls,
      db: parts.db,
      mustGetWorkspaceId: () => this.#mustGetWorkspaceId(),
      getSession: () => this.#getSession(),
    };
  }

  readonly workspaces = {
    /**
     * Makes a workspace the active one, or resumes it after a restart. May be called in every tab and more than once.
     * @throws TidelockError WORKSPACE_ACTIVE_ELSEWHERE, INVALID_INPUT
     */
    open: async (
      workspaceId: string,
      principal: RequestedBy,
      options?: CallOptions,
    ): Promise<CoordinatorState> => {
      const { userId, tenantId } = assertPrincipal(principal);
      const state = await this.#parts.calls.invoke(
        'workspaces.open',
        { workspaceId, principal: { userId, tenantId } },
        options,
      );
      this.#openedWorkspaceId = workspaceId;
      this.#parts.presence.board.seeState(state);
      return state;
    },
  };

  /** Upstream requests with a permit's whole life around them. */
  readonly gateway = {
    /**
     * Fetches one page from the committed cursor and applies it.
     * @throws TidelockError WORKSPACE_NONE, ABORTED (before it started), HANDLER_FAILED, and the store's codes
     */
    pull: <Name extends NameOf<Shape['apply']>>(
      options: PullOptions<InputOf<Shape['apply'], Name>> & { readonly apply: Name },
    ): Promise<PullResult> => pull(this.#gatewayContext, options),
    /**
     * Sends operations, each under a permit, and settles what the upstream accepted.
     * @throws TidelockError WORKSPACE_NONE, INVALID_INPUT, ABORTED (before it started), HANDLER_FAILED, and the store's codes
     */
    push: <Payload, Name extends NameOf<Shape['apply']>>(
      options: PushOptions<Payload, InputOf<Shape['apply'], Name>> & { readonly apply?: Name },
    ): Promise<PushResult> => push(this.#gatewayContext, options),
  };

  /** A picture of now; a new object whenever something changed. */
  get status(): TideStatus {
    return this.#parts.presence.board.current;
  }

  /**
   * Runs a mutation in the writer: durable when it resolves. Handlers may be run more than once before they commit.
   * @throws TidelockError WORKSPACE_NONE, UNKNOWN_HANDLER, INVALID_INPUT (path), HANDLER_FAILED (cause), HANDLER_ASYNC, PAYLOAD_TOO_LARGE
   */
  mutate<Name extends NameOf<Shape['mutations']>>(
    name: Name,
    input: InputOf<Shape['mutations'], Name>,
    options?: CallOptions,
  ): Promise<OutputOf<Shape['mutations'], Name>> {
    const call = { handler: name, input: input as Json, workspaceId: this.#findWorkspaceId() }; // checked before it is sent
    return this.#parts.calls.invoke('app.mutate', call, options) as Promise<
      OutputOf<Shape['mutations'], Name>
    >; // the handler's own type
  }

  /**
   * Runs a query once, on committed data.
   * @throws TidelockError UNKNOWN_HANDLER, INVALID_INPUT (path), HANDLER_FAILED (cause), HANDLER_ASYNC, PAYLOAD_TOO_LARGE
   */
  query<Name extends NameOf<Shape['queries']>>(
    name: Name,
    input: InputOf<Shape['queries'], Name>,
    options?: CallOptions,
  ): Promise<OutputOf<Shape['queries'], Name>> {
    const call = { handler: name, input: input as Json, workspaceId: this.#openedWorkspaceId }; // checked before it is sent
    return this.#parts.calls.invoke('app.query', call, options) as Promise<OutputOf<Shape['queries'], Name>>; // the handler's own type
  }

  /**
   * What became of a call that ended without an answer, by the `details.callId` of its error. Good for seven days, in
   * any tab, across reloads. Calls answered by a row (issuing a permit, moving one) leave no receipt and are `unknown`:
   * read the row.
   */
  async outcome(callId: string, options?: CallOptions): Promise<CallOutcome> {
    if (this.#parts.calls.has(callId)) return { status: 'pending' };
    return await this.#parts.calls.invoke('calls.readOutcome', { callId }, options);
  }

  /**
   * Asks the present writer to let another tab's worker write: it finishes its batch, closes the database, and its tab
   * goes to the end of the line. Where no other tab is there, the same tab writes again. Resolves once the writer has
   * agreed; `status` tells who is next. Calls in flight are answered by the next writer.
   */
  async handOver(options?: CallOptions): Promise<void> {
    await this.#parts.calls.invoke('writer.handOver', {}, options);
  }

  /**
   * Asks the browser to keep what this origin stores, which it may otherwise clear when the disk is short of room;
   * whether it does. Call it when the user has done something worth keeping: Firefox asks them then. What is known
   * without asking is `status.persisted`.
   * @throws TidelockError STORAGE_BLOCKED where the browser fails to say; a refusal is `false`
   */
  persist(options?: CallOptions): Promise<boolean> {
    return this.#parts.persistence.persist(this.#getSession(), options);
  }

  /** Listens; returns the function that stops it. @throws TidelockError INVALID_INPUT for an event that is none */
  on<E extends keyof TideEvents>(event: E, listener: (event: TideEvents[E]) => void): () => void {
    return this.#parts.presence.board.on(event, listener);
  }

  /** Ends this tab's part: its worker, its session, every pending call (CLIENT_CLOSED). Idempotent. */
  close(): void {
    this.#parts.calls.close();
    this.#parts.presence.stop();
    this.#parts.persistence.stop();
    this.#parts.presence.board.update({ connection: 'closed' });
    this.#parts.presence.board.clear();
  }

  #getSession(): SessionEnd {
    const { presence } = this.#parts;
    const { ended, sessionId } = presence.session;
    return {
      ended,
      sessionId,
      isClosed: () => presence.isStopped,
      isOutdated: () => presence.board.current.connection === 'outdated',
    };
  }

  #findWorkspaceId(): string | null {
    return this.#openedWorkspaceId ?? this.#parts.presence.board.current.workspaceId;
  }

  #mustGetWorkspaceId(): string {
    const workspaceId = this.#findWorkspaceId();
    if (workspaceId !== null) return workspaceId;
    throw new TidelockError(
      LIBRARY_CODES.WORKSPACE_NONE,
      'No workspace is open. Call tide.workspaces.open first.',
    );
  }
}

/** A caller may have no types. @throws TidelockError INVALID_INPUT */
function assertPrincipal(principal: RequestedBy | undefined): RequestedBy {
  if (typeof principal === 'object' && principal !== null) return principal;
  return refuseInput('principal', 'wanted { userId, tenantId }');
}
