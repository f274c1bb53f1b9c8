/** How a caller bounds its waiting, and what of that is refused: a caller may have no types. */
import { refuseInput } from '../domain/refuse-input';
import { DEFAULT_CALL_TIMEOUT_MS, MAX_TIMEOUT_MS } from '../protocol/limits';

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Longest wait in milliseconds, 1 to 86,400,000; 30 s where absent. */
  readonly timeoutMs?: number;
}

/** @throws TidelockError INVALID_INPUT */
export function assertSignal(signal: unknown): void {
  if (signal !== undefined && !(signal instanceof AbortSignal))
    refuseInput('signal', 'wanted an AbortSignal', 'option');
}

/** @throws TidelockError INVALID_INPUT */
export function readTimeoutMs(timeoutMs: number = DEFAULT_CALL_TIMEOUT_MS): number {
  if (Number.isFinite(timeoutMs) && timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS) return timeoutMs;
  return refuseInput(
    'timeoutMs',
    `wanted 1 to ${MAX_TIMEOUT_MS} milliseconds, not ${String(timeoutMs)}`,
    'option',
  );
}
