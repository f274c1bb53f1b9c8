/**
 * Every call of a tab, from asking to its one answer.
 *
 *   invoke → queued → sent → answered
 *               ↑       │
 *               └───────┘ another writer took over: asked again under the same id, attempt + 1
 *
 * Rules: calls made in one tick travel in one message, reads apart from writes so that a read never waits for a
 * commit; an answer counts whichever writer gave it; each call ends by its deadline, its signal or `close` at the latest.
 * A repeat is safe because the writer answers it from the row or the receipt that the first run left. It says how many
 * writers died with the call, so that the next one can take care.
 * Failure: `details.outcome` of a call that ended without an answer is `not-executed` where it was never sent, else `unknown`.
 */
import { makeCallId, type CallIdKind } from '../domain/call-id';
import { LIBRARY_CODES } from '../domain/error-codes';
import { TidelockError } from '../domain/tidelock-error';
import type { Platform } from '../platform/platform';
import type { CallEnvelope, CallReply } from '../protocol/call';
import { decodeError } from '../protocol/error-codec';
import { DEFAULT_CALL_TIMEOUT_MS, MAX_CALLS_PER_MESSAGE, MAX_MESSAGE_BYTES } from '../protocol/limits';
import { measureInput } from '../protocol/measure-input';
import { CALLS, type CallInput, type CallKind, type CallName, type CallOutput } from '../protocol/surface';
import { assertSignal, readTimeoutMs, type CallOptions } from './call-options';
import { outOfTime, unanswered, type ClosedAs, type Silence } from './unanswered';
import { WriterPulse } from './writer-pulse';

/** A line to one writer; see `transport/writer-link`. */
export interface CallLink {
  invoke(envelopes: readonly CallEnvelope[]): Promise<CallReply[]>;
}

export interface CallLayerOptions {
  /** Why nobody may be answering. */
  readonly explain?: () => Silence;
  /** The writer has fallen silent, or speaks again. */
  readonly onSilence?: (isSilent: boolean) => void;
}

interface PendingCall {
  readonly callId: string;
  readonly call: CallName;
  readonly input: unknown;
  readonly sizeBytes: number;
  readonly deadlineAt: number;
  attempt: number;
  deaths: number;
  diedEpoch: number | null;
  isSent: boolean;
  /** Ever sent, to whichever writer: from then on it may have run. */
  mayHaveRun: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly release: () => void;
}

export class CallLayer {
  readonly #platform: Platform;
  readonly #options: CallLayerOptions;
  readonly #pulse: WriterPulse;
  readonly #pending = new Map<string, PendingCall>();
  #queue: PendingCall[] = [];
  #isFlushPlanned = false;
  #link: CallLink | undefined;
  /** Set once it is closed: what calls end with. */
  #closedAs: ClosedAs | undefined;

  constructor(platform: Platform, options: CallLayerOptions = {}) {
    this.#platform = platform;
    this.#options = options;
    this.#pulse = new WriterPulse({
      platform,
      isWaiting: () => this.#isWaitingForAnswer(),
      ping: () => this.#sendControl('calls.ping', {}),
      onChange: (isSilent) => options.onSilence?.(isSilent),
    });
  }

  get isWriterSilent(): boolean {
    return this.#pulse.isSilent;
  }

  /** Whether the call has not ended yet. */
  has(callId: string): boolean {
    return this.#pending.has(callId);
  }

  /** @throws TidelockError (as a rejection) INVALID_INPUT, PAYLOAD_TOO_LARGE, ABORTED, DEADLINE_EXCEEDED, CLIENT_CLOSED, UPGRADE_REQUIRED, and what the call throws. */
  invoke<C extends CallName>(
    call: C,
    input: CallInput<C>,
    options: CallOptions | null = {},
  ): Promise<CallOutput<C>> {
    // The writer answers a call with its output; the surface is the contract.
    return new Promise<CallOutput<C>>((resolve: (value: unknown) => void, reject) => {
      const unsent = { call, callId: null, mayHaveRun: false };
      if (this.#closedAs !== undefined) throw unanswered(this.#closedAs, unsent);
      const { signal, timeoutMs: wantedMs } = options ?? {};
      const timeoutMs = readTimeoutMs(wantedMs);
      assertSignal(signal);
      const sizeBytes = measureInput(input);
      if (signal?.aborted === true) throw unanswered(LIBRARY_CODES.ABORTED, unsent, signal.reason);
      this.#admit({ call, input, sizeBytes, timeoutMs, signal, resolve, reject });
    });
  }

  /**
   * A writer to send to from now on. What an earlier one left unanswered is asked again.
   * `diedEpoch`: its epoch, where it was not merely left, so that what it was running may be to blame.
   */
  attach(link: CallLink, { diedEpoch = null }: { readonly diedEpoch?: number | null } = {}): void {
    this.#link = link;
    this.#pulse.hear();
    for (const call of this.#pending.values()) {
      if (!call.isSent) continue;
      call.isSent = false;
      call.attempt += 1;
      if (diedEpoch === null) continue;
      call.deaths += 1;
      call.diedEpoch = diedEpoch;
    }
    // In the order in which they were asked, those that were never sent included.
    this.#queue = [...this.#pending.values()];
    this.#planFlush();
  }

  /** No writer for now: calls wait, each to its own deadline. */
  detach(): void {
    this.#link = undefined;
    this.#pulse.stop();
  }

  /** Rejects everything pending with STORAGE_LOST: the database it was asked of is gone. Later calls go to the next. */
  lose(): void {
    this.#endAll(LIBRARY_CODES.STORAGE_LOST);
  }

  /** Rejects everything pending and all later calls. May be called again, with another code. */
  close(code: ClosedAs = LIBRARY_CODES.CLIENT_CLOSED): void {
    this.#closedAs = code;
    this.#endAll(code);
  }

  #endAll(code: ClosedAs | 'STORAGE_LOST'): void {
    this.detach();
    for (const call of [...this.#pending.values()]) this.#end(call, unanswered(code, call));
  }

  #admit(asked: {
    readonly call: CallName;
    readonly input: unknown;
    readonly sizeBytes: number;
    readonly timeoutMs: number;
    readonly signal: AbortSignal | undefined;
    readonly resolve: (value: unknown) => void;
    readonly reject: (error: Error) => void;
  }): void {
    const { signal, timeoutMs, ...rest } = asked;
    const now = this.#platform.now();
    const onAbort = (): void =>
      this.#end(pending, unanswered(LIBRARY_CODES.ABORTED, pending, signal?.reason));
    const stopTimer = this.#platform.after(timeoutMs, () =>
      this.#end(pending, outOfTime(pending, this.#explain())),
    );
    const release = (): void => {
      stopTimer();
      signal?.removeEventListener('abort', onAbort);
    };
    const pending: PendingCall = {
      ...rest,
      callId: makeCallId(idKindOf(rest.call), { now, uuid: this.#platform.randomUuid() }),
      deadlineAt: now + timeoutMs,
      attempt: 1,
      deaths: 0,
      diedEpoch: null,
      isSent: false,
      mayHaveRun: false,
      release,
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#pending.set(pending.callId, pending);
    this.#queue.push(pending);
    this.#planFlush();
  }

  #planFlush(): void {
    if (this.#isFlushPlanned || this.#link === undefined || this.#queue.length === 0) return;
    this.#isFlushPlanned = true;
    queueMicrotask(() => {
      this.#isFlushPlanned = false;
      this.#flush();
    });
  }

  #flush(): void {
    const link = this.#link;
    if (link === undefined) return;
    const waiting = this.#queue.filter(({ callId }) => this.#pending.has(callId));
    this.#queue = [];
    const reads = waiting.filter(({ call }) => CALLS[call].kind === 'read');
    const others = waiting.filter(({ call }) => CALLS[call].kind !== 'read');
    for (const message of [...split(reads), ...split(others)]) this.#send(link, message);
  }

  #send(link: CallLink, calls: readonly PendingCall[]): void {
    for (const call of calls) {
      call.isSent = true;
      call.mayHaveRun = true;
    }
    this.#pulse.watch();
    link.invoke(calls.map(toEnvelope)).then(
      (replies) => {
        if (link === this.#link) this.#pulse.hear();
        replies.forEach((reply) => this.#settle(reply));
      },
      (error: unknown) => calls.forEach((call) => this.#settleFailedSend(call, error)),
    );
  }

  #settle(reply: CallReply): void {
    const call = this.#take(reply.callId);
    if (call === undefined) return;
    if (reply.ok) call.resolve(reply.value);
    else call.reject(nameCall(decodeError(reply.error), call));
  }

  /** Comlink itself failed: the message could not be cloned either way. What the writer did is not known then. */
  #settleFailedSend(call: PendingCall, cause: unknown): void {
    this.#take(call.callId)?.reject(
      new TidelockError(LIBRARY_CODES.OUTCOME_UNKNOWN, `The answer to ${call.call} could not be carried.`, {
        details: { call: call.call, callId: call.callId, outcome: 'unknown' },
        cause,
      }),
    );
  }

  #end(call: PendingCall, error: Error): void {
    if (this.#take(call.callId) === undefined) return;
    call.reject(error);
    if (call.isSent) this.#sendControl('calls.cancel', { callIds: [call.callId] });
  }

  /** Nobody waits for it: a cancel is a courtesy, the deadline in the envelope ends the call as well. */
  #sendControl<C extends 'calls.cancel' | 'calls.ping'>(call: C, input: CallInput<C>): void {
    const link = this.#link;
    if (link === undefined) return;
    const now = this.#platform.now();
    const envelope: CallEnvelope = {
      callId: makeCallId('read', { now, uuid: this.#platform.randomUuid() }),
      call,
      input,
      deadlineAt: now + DEFAULT_CALL_TIMEOUT_MS,
      attempt: 1,
      deaths: 0,
      diedEpoch: null,
    };
    link.invoke([envelope]).then(
      () => link === this.#link && this.#pulse.hear(),
      () => undefined,
    );
  }

  #isWaitingForAnswer(): boolean {
    return this.#link !== undefined && [...this.#pending.values()].some(({ isSent }) => isSent);
  }

  #explain(): Silence {
    return this.#options.explain?.() ?? { holder: null, cause: undefined };
  }

  #take(callId: string): PendingCall | undefined {
    const call = this.#pending.get(callId);
    if (call === undefined) return undefined;
    this.#pending.delete(callId);
    call.release();
    return call;
  }
}

function toEnvelope(pending: PendingCall): CallEnvelope {
  const { callId, call, input, deadlineAt, attempt, deaths, diedEpoch } = pending;
  return { callId, call, input, deadlineAt, attempt, deaths, diedEpoch };
}

function idKindOf(call: CallName): CallIdKind {
  const { kind, repeat }: CallKind = CALLS[call];
  return kind === 'write' && repeat !== undefined ? repeat : 'read';
}

function split(calls: readonly PendingCall[]): PendingCall[][] {
  const messages: PendingCall[][] = [];
  let sizeBytes = Infinity;
  for (const call of calls) {
    const message = messages.at(-1);
    const fits =
      message !== undefined &&
      message.length < MAX_CALLS_PER_MESSAGE &&
      sizeBytes + call.sizeBytes <= MAX_MESSAGE_BYTES;
    sizeBytes = fits ? sizeBytes + call.sizeBytes : call.sizeBytes;
    if (fits) message.push(call);
    else messages.push([call]);
  }
  return messages;
}

/** Where the writer says that a call was not run, or may have been, its caller must be able to ask later. */
function nameCall(error: Error, { call, callId }: PendingCall): Error {
  if (!(error instanceof TidelockError) || !('outcome' in error.details)) return error;
  const { code, message, details, cause } = error;
  return new TidelockError(code, message, { details: { ...details, call, callId }, cause });
}
