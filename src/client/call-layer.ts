/**
 * Every call of a tab, from asking to its one answer.
 *
 *   invoke → queued → sent → answered
 *               ↑       │
 *               └───────┘ another writer took over: asked again under the same id, attempt + 1
 *
 * Rules: calls made in one tick travel in one message, reads apart from writes so that a read never waits for a
 * commit; an answer counts whichever writer gave it; each call ends by its deadline, its signal or `close` at the latest.
 * A repeat is safe because the writer answers it from the row or the receipt that the first run left.
 * Failure: `details.outcome` of a call that ended without an answer is `not-executed` where it was never sent, else `unknown`.
 */
import { LIBRARY_CODES, type LibraryCode } from '../domain/error-codes';
import { TidelockError } from '../domain/tidelock-error';
import type { Platform } from '../platform/platform';
import type { CallEnvelope, CallReply } from '../protocol/call';
import { decodeError } from '../protocol/error-codec';
import {
  DEFAULT_CALL_TIMEOUT_MS,
  MAX_CALLS_PER_MESSAGE,
  MAX_MESSAGE_BYTES,
  MAX_TIMEOUT_MS,
} from '../protocol/limits';
import { measureInput } from '../protocol/measure-input';
import { CALLS, type CallInput, type CallName, type CallOutput } from '../protocol/surface';

/** How a caller bounds its waiting. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Longest wait in milliseconds, 1 to 86,400,000; 30 s where absent. */
  readonly timeoutMs?: number;
}

/** A line to one writer; see `transport/writer-link`. */
export interface CallLink {
  invoke(envelopes: readonly CallEnvelope[]): Promise<CallReply[]>;
}

interface PendingCall {
  readonly callId: string;
  readonly call: CallName;
  readonly input: unknown;
  readonly sizeBytes: number;
  readonly deadlineAt: number;
  attempt: number;
  isSent: boolean;
  /** Ever sent, to whichever writer: from then on it may have run. */
  mayHaveRun: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly release: () => void;
}

export class CallLayer {
  readonly #platform: Platform;
  readonly #explain: () => unknown;
  readonly #pending = new Map<string, PendingCall>();
  #queue: PendingCall[] = [];
  #isFlushPlanned = false;
  #link: CallLink | undefined;
  #isClosed = false;

  /** `explain` tells why nobody may be answering: the cause of a call that ran out of time. */
  constructor(platform: Platform, explain: () => unknown = () => undefined) {
    this.#platform = platform;
    this.#explain = explain;
  }

  /** @throws TidelockError (as a rejection) INVALID_INPUT, PAYLOAD_TOO_LARGE, ABORTED, DEADLINE_EXCEEDED, CLIENT_CLOSED, and what the call throws. */
  invoke<C extends CallName>(
    call: C,
    input: CallInput<C>,
    options: CallOptions = {},
  ): Promise<CallOutput<C>> {
    // The writer answers a call with its output; the surface is the contract.
    return new Promise<CallOutput<C>>((resolve: (value: unknown) => void, reject) => {
      if (this.#isClosed) throw unanswered(LIBRARY_CODES.CLIENT_CLOSED, call, false);
      const timeoutMs = readTimeoutMs(options.timeoutMs);
      const sizeBytes = measureInput(input);
      if (options.signal?.aborted === true)
        throw unanswered(LIBRARY_CODES.ABORTED, call, false, options.signal.reason);
      this.#admit({ call, input, sizeBytes, timeoutMs, signal: options.signal, resolve, reject });
    });
  }

  /** A writer to send to from now on. What an earlier one left unanswered is asked again. */
  attach(link: CallLink): void {
    this.#link = link;
    for (const call of this.#pending.values()) {
      if (!call.isSent) continue;
      call.isSent = false;
      call.attempt += 1;
      this.#queue.push(call);
    }
    this.#planFlush();
  }

  /** No writer for now: calls wait, each to its own deadline. */
  detach(): void {
    this.#link = undefined;
  }

  /** Rejects everything pending and all later calls with CLIENT_CLOSED. Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#link = undefined;
    for (const call of [...this.#pending.values()]) this.#end(call, LIBRARY_CODES.CLIENT_CLOSED);
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
    const onAbort = (): void => this.#end(pending, LIBRARY_CODES.ABORTED, signal?.reason);
    const stopTimer = this.#platform.after(timeoutMs, () =>
      this.#end(pending, LIBRARY_CODES.DEADLINE_EXCEEDED, this.#explain()),
    );
    const release = (): void => {
      stopTimer();
      signal?.removeEventListener('abort', onAbort);
    };
    const pending: PendingCall = {
      ...rest,
      callId: this.#platform.randomUuid(),
      deadlineAt: this.#platform.now() + timeoutMs,
      attempt: 1,
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
    link.invoke(calls.map(toEnvelope)).then(
      (replies) => replies.forEach((reply) => this.#settle(reply)),
      (error: unknown) => calls.forEach((call) => this.#settleFailedSend(call, error)),
    );
  }

  #settle(reply: CallReply): void {
    const call = this.#take(reply.callId);
    if (reply.ok) call?.resolve(reply.value);
    else call?.reject(decodeError(reply.error));
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

  #end(call: PendingCall, code: LibraryCode, cause?: unknown): void {
    if (this.#take(call.callId) === undefined) return;
    call.reject(unanswered(code, call.call, call.mayHaveRun, cause, call.callId));
    if (call.isSent && this.#link !== undefined) this.#sendCancel(this.#link, call.callId);
  }

  #sendCancel(link: CallLink, callId: string): void {
    const envelope: CallEnvelope = {
      callId: this.#platform.randomUuid(),
      call: 'calls.cancel',
      input: { callIds: [callId] },
      deadlineAt: this.#platform.now() + DEFAULT_CALL_TIMEOUT_MS,
      attempt: 1,
    };
    link.invoke([envelope]).catch(() => undefined); // a courtesy: the deadline in the envelope ends the call as well
  }

  #take(callId: string): PendingCall | undefined {
    const call = this.#pending.get(callId);
    if (call === undefined) return undefined;
    this.#pending.delete(callId);
    call.release();
    return call;
  }
}

function toEnvelope({ callId, call, input, deadlineAt, attempt }: PendingCall): CallEnvelope {
  return { callId, call, input, deadlineAt, attempt };
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

export function readTimeoutMs(timeoutMs: number = DEFAULT_CALL_TIMEOUT_MS): number {
  if (Number.isFinite(timeoutMs) && timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS) return timeoutMs;
  throw new TidelockError(
    LIBRARY_CODES.INVALID_INPUT,
    `Invalid timeoutMs ${String(timeoutMs)}; wanted 1 to ${MAX_TIMEOUT_MS}.`,
    {
      details: { path: 'timeoutMs', problem: 'not a number of milliseconds from 1 to a day' },
    },
  );
}

const REASONS: Partial<Record<LibraryCode, string>> = {
  ABORTED: 'was aborted by its signal',
  DEADLINE_EXCEEDED: 'got no answer in time',
  CLIENT_CLOSED: 'ended with its client, which is closed',
};

function unanswered(
  code: LibraryCode,
  call: CallName,
  mayHaveRun: boolean,
  cause?: unknown,
  callId?: string,
): TidelockError {
  const outcome = mayHaveRun && CALLS[call].kind === 'write' ? 'unknown' : 'not-executed';
  return new TidelockError(code, `${call} ${REASONS[code] ?? 'ended'}.`, {
    details: { call, callId: callId ?? null, outcome },
    cause,
  });
}
