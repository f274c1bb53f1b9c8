import { makeTimeOrderedId } from '../domain/call-id';
import { STORE_CODES } from '../domain/error-codes';
import type { DrainScope } from '../domain/permit';
import { isTidelockError } from '../domain/tidelock-error';
import type { Platform } from '../platform/platform';
import type { CallInput, CallName, CallOutput } from '../protocol/surface';
import type { CallLayer } from './call-layer';
import type { CallOptions } from './call-options';

type Input<C extends CallName> = CallInput<C>;
type Answer<C extends CallName> = Promise<CallOutput<C>>;

/**
 * The execution permits, as the store has them. `serverInstanceId` may be left out everywhere: the present writer is
 * meant. A permit issued here belongs to this tab: when the tab is gone, so is the permit.
 * @throws TidelockError INVALID_INPUT, and the codes of the store (`SYNC_COORDINATOR_…`).
 */
export class PermitsApi {
  readonly #platform: Platform;
  readonly #calls: CallLayer;
  readonly #isFormerWriter: (serverInstanceId: string) => boolean;

  constructor(platform: Platform, calls: CallLayer, isFormerWriter: (serverInstanceId: string) => boolean) {
    this.#platform = platform;
    this.#calls = calls;
    this.#isFormerWriter = isFormerWriter;
  }

  /** Issues a durable lease for one upstream request. The same `permitId` with the same input gives the same permit. */
  async issue(input: Input<'permits.issue'>, options?: CallOptions): Answer<'permits.issue'> {
    return await this.#fenced(
      'permits.issue',
      { ...input, permitId: input?.permitId ?? this.#newId() },
      options,
    );
  }
  /** Moves a permit into flight, or records what is known of its request. */
  transition(input: Input<'permits.transition'>, options?: CallOptions): Answer<'permits.transition'> {
    return this.#fenced('permits.transition', input, options);
  }
  enterLocalCommit(
    fence: Input<'permits.enterLocalCommit'>,
    options?: CallOptions,
  ): Answer<'permits.enterLocalCommit'> {
    return this.#fenced('permits.enterLocalCommit', fence, options);
  }
  completeLocalCommit(
    fence: Input<'permits.completeLocalCommit'>,
    options?: CallOptions,
  ): Answer<'permits.completeLocalCommit'> {
    return this.#fenced('permits.completeLocalCommit', fence, options);
  }
  /**
   * Says how a local commit ended that was cut short: its writer or its tab died between entering and completing it, and
   * the workspace is blocked until somebody who knows says so. Whoever says so is believed: do not settle what a living
   * tab is about to complete. `not-committed` leaves an obligation to fetch again,
   * except for a local apply. `evidence` is any JSON, kept on the permit's row.
   */
  settleInterruptedLocalCommit(
    input: Input<'permits.settleInterruptedLocalCommit'>,
    options?: CallOptions,
  ): Answer<'permits.settleInterruptedLocalCommit'> {
    return this.#calls.invoke('permits.settleInterruptedLocalCommit', input, options);
  }
  release(fence: Input<'permits.release'>, options?: CallOptions): Answer<'permits.release'> {
    return this.#fenced('permits.release', fence, options);
  }
  acknowledgeNonApplyingCompletion(
    input: Input<'permits.acknowledgeNonApplyingCompletion'>,
    options?: CallOptions,
  ): Answer<'permits.acknowledgeNonApplyingCompletion'> {
    return this.#fenced('permits.acknowledgeNonApplyingCompletion', input, options);
  }
  abandonPermit(
    input: Input<'permits.abandonPermit'>,
    options?: CallOptions,
  ): Answer<'permits.abandonPermit'> {
    return this.#fenced('permits.abandonPermit', input, options);
  }
  /** Moves the deadline of an active permit, before it or within the grace after it. */
  renew(input: Input<'permits.renew'>, options?: CallOptions): Answer<'permits.renew'> {
    return this.#fenced('permits.renew', input, options);
  }
  read(permitId: string, options?: CallOptions): Answer<'permits.read'> {
    return this.#calls.invoke('permits.read', { permitId }, options);
  }
  /** Counts of active permits by state and of open obligations. */
  summarize(workspaceId: string, options?: CallOptions): Answer<'permits.summarize'> {
    return this.#calls.invoke('permits.summarize', { workspaceId }, options);
  }
  inspectGenerationDrain(scope: DrainScope, options?: CallOptions): Answer<'permits.inspectGenerationDrain'> {
    return this.#calls.invoke('permits.inspectGenerationDrain', scope, options);
  }
  listOpenRecoveryObligations(
    workspaceId: string,
    options?: CallOptions,
  ): Answer<'permits.listOpenRecoveryObligations'> {
    return this.#calls.invoke('permits.listOpenRecoveryObligations', { workspaceId }, options);
  }

  #newId(): string {
    return makeTimeOrderedId({ now: this.#platform.now(), uuid: this.#platform.randomUuid() });
  }

  /** A takeover changes the instance id under the caller's feet; a call that named the former one is meant for the new. */
  async #fenced<C extends CallName>(call: C, input: Input<C>, options?: CallOptions): Answer<C> {
    try {
      return await this.#calls.invoke(call, input, options);
    } catch (error) {
      if (!isTidelockError(error) || error.code !== STORE_CODES.PERMIT_SERVER_MISMATCH) throw error;
      const { serverInstanceId } = input as { readonly serverInstanceId?: string }; // every fenced input has the field
      if (serverInstanceId === undefined || !this.#isFormerWriter(serverInstanceId)) throw error;
      return await this.#calls.invoke(call, { ...input, serverInstanceId: undefined }, options);
    }
  }
}
