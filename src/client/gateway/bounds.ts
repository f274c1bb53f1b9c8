import { LIBRARY_CODES } from '../../domain/error-codes';
import { TidelockError } from '../../domain/tidelock-error';
import type { Platform } from '../../platform/platform';
import { OUTDATED } from '../unanswered';

/** Whether what is being waited for can have had an effect by now. */
export type BoundOutcome = 'not-executed' | 'unknown';

/** The life of the page's session, as far as a wait is concerned. */
export interface SessionEnd {
  /** Fires when the page hides or the client closes. */
  readonly ended: AbortSignal;
  isClosed(): boolean;
  /** Closed because a newer build has taken the database over. */
  isOutdated(): boolean;
  /** The holder of the permits that are issued for it. */
  readonly sessionId: string;
}

export interface BoundsOptions {
  readonly platform: Platform;
  /** Longest wait, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly session?: SessionEnd;
  readonly outcome: BoundOutcome;
}

/** Everything that may end one wait, as one signal whose reason is the typed error. Release it when the wait is over. */
export interface Bounds {
  readonly signal: AbortSignal;
  release(): void;
}

export function makeBounds({ platform, timeoutMs, signal, session, outcome }: BoundsOptions): Bounds {
  const joined = new AbortController();
  const onAbort = (): void => joined.abort(aborted(outcome, signal?.reason));
  const onEnded = (): void => joined.abort(session === undefined ? undefined : whyEnded(session, outcome));
  const stopTimer = platform.after(timeoutMs, () => joined.abort(timedOut(outcome, timeoutMs)));
  signal?.addEventListener('abort', onAbort, { once: true });
  session?.ended.addEventListener('abort', onEnded, { once: true });
  if (signal?.aborted === true) onAbort();
  if (session?.ended.aborted === true) onEnded();
  return {
    signal: joined.signal,
    release: () => {
      stopTimer();
      signal?.removeEventListener('abort', onAbort);
      session?.ended.removeEventListener('abort', onEnded);
    },
  };
}

export function aborted(outcome: BoundOutcome, cause: unknown): TidelockError {
  const when = outcome === 'unknown' ? 'after' : 'before';
  return new TidelockError(LIBRARY_CODES.ABORTED, `Aborted ${when} the request had started.`, {
    details: { outcome },
    cause,
  });
}

/** Why a session is over: the page hid, the client closed, or its build is outdated. */
export function whyEnded(session: SessionEnd, outcome: BoundOutcome = 'unknown'): TidelockError {
  if (session.isOutdated()) return outdated(outcome);
  return session.isClosed() ? closed(outcome) : hidden(outcome);
}

export function hidden(outcome: BoundOutcome): TidelockError {
  return new TidelockError(LIBRARY_CODES.ABORTED, 'The page was hidden, and its session ended with that.', {
    details: { outcome },
  });
}

function closed(outcome: BoundOutcome): TidelockError {
  return new TidelockError(LIBRARY_CODES.CLIENT_CLOSED, 'The client was closed meanwhile.', {
    details: { outcome },
  });
}

function outdated(outcome: BoundOutcome): TidelockError {
  return new TidelockError(LIBRARY_CODES.UPGRADE_REQUIRED, OUTDATED, { details: { outcome } });
}

function timedOut(outcome: BoundOutcome, timeoutMs: number): TidelockError {
  return new TidelockError(LIBRARY_CODES.DEADLINE_EXCEEDED, `Nothing came within ${timeoutMs} ms.`, {
    details: { timeoutMs, outcome },
  });
}
