import type { TidelockError } from '../../domain/tidelock-error';
import { aborted, makeBounds, whyEnded, type BoundsOptions } from './bounds';
import { UpstreamRejected } from './upstream-rejected';

/** How a request ended, as far as this tab can tell. */
export type RequestEnd<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'rejected'; readonly error: UpstreamRejected }
  /** The caller's signal had fired, or the session had ended, before the request was made: nothing went out. */
  | { readonly kind: 'not-started'; readonly error: TidelockError }
  | { readonly kind: 'unknown'; readonly error: unknown };

/**
 * Runs the app's request and names its end. The wait ends with the time, the caller's signal or the session, whether or
 * not the request heeds the signal it is given; what it does later counts for nothing.
 */
export async function runRequest<Answer>(
  request: (signal: AbortSignal) => Promise<Answer>,
  options: Omit<BoundsOptions, 'outcome'>,
): Promise<RequestEnd<Answer>> {
  if (options.signal?.aborted === true) {
    return { kind: 'not-started', error: aborted('not-executed', options.signal.reason) };
  }
  if (options.session?.ended.aborted === true) {
    return { kind: 'not-started', error: whyEnded(options.session, 'not-executed') };
  }
  const bounds = makeBounds({ ...options, outcome: 'unknown' });
  try {
    const answer = await Promise.race([rejectOnAbort(bounds.signal), request(bounds.signal)]);
    return { kind: 'answered', answer };
  } catch (error) {
    // Once the bounds have fired, whatever came out is the request's way of stopping.
    if (bounds.signal.aborted) return { kind: 'unknown', error: bounds.signal.reason };
    return error instanceof UpstreamRejected ? { kind: 'rejected', error } : { kind: 'unknown', error };
  } finally {
    bounds.release();
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
