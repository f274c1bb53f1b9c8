import { LIBRARY_CODES } from '../../domain/error-codes';
import { TidelockError } from '../../domain/tidelock-error';
import { UpstreamRejected } from './upstream-rejected';

/** How a request ended, as far as this tab can tell. */
export type RequestEnd<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'rejected'; readonly error: UpstreamRejected }
  /** The caller's signal had fired before the request was made: nothing went out. */
  | { readonly kind: 'not-started'; readonly error: TidelockError }
  | { readonly kind: 'unknown'; readonly error: unknown };

export interface RequestBounds {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs the app's request and names its end. The wait ends with the time or the caller's signal, whether or not the
 * request heeds the signal it is given; what it does later counts for nothing.
 */
export async function runRequest<Answer>(
  request: (signal: AbortSignal) => Promise<Answer>,
  { timeoutMs, signal }: RequestBounds,
): Promise<RequestEnd<Answer>> {
  if (signal?.aborted === true) return { kind: 'not-started', error: notStarted(signal.reason) };
  const bounds = new AbortController();
  const onAbort = (): void => bounds.abort(aborted(signal?.reason));
  const timer = setTimeout(() => bounds.abort(timedOut(timeoutMs)), timeoutMs);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const answer = await Promise.race([rejectOnAbort(bounds.signal), request(bounds.signal)]);
    return { kind: 'answered', answer };
  } catch (error) {
    // Once the bounds have fired, whatever came out is the request's way of stopping.
    if (bounds.signal.aborted) return { kind: 'unknown', error: bounds.signal.reason };
    return error instanceof UpstreamRejected ? { kind: 'rejected', error } : { kind: 'unknown', error };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function timedOut(timeoutMs: number): TidelockError {
  return new TidelockError(
    LIBRARY_CODES.DEADLINE_EXCEEDED,
    `The upstream did not answer within ${timeoutMs} ms.`,
    {
      details: { timeoutMs, outcome: 'unknown' },
    },
  );
}

function aborted(cause: unknown): TidelockError {
  return new TidelockError(LIBRARY_CODES.ABORTED, 'The request was aborted after it had started.', {
    details: { outcome: 'unknown' },
    cause,
  });
}

function notStarted(cause: unknown): TidelockError {
  return new TidelockError(LIBRARY_CODES.ABORTED, 'The request was aborted before it started.', {
    details: { outcome: 'not-executed' },
    cause,
  });
}
