import { LIBRARY_CODES } from '../../domain/error-codes';
import type { Json } from '../../domain/json';
import { isTidelockError, TidelockError } from '../../domain/tidelock-error';
import type { CallLayer } from '../call-layer';

/** What the gateway's operations need of their client. */
export interface GatewayContext {
  readonly calls: CallLayer;
  readonly db: string;
  /** The workspace this tab works for. @throws TidelockError WORKSPACE_NONE */
  mustGetWorkspaceId(): string;
}

/** The stream of a pull or push that names none. */
export const MAIN_STREAM = 'main';

/** Longest wait for the upstream where the caller sets no `timeoutMs`. */
export const DEFAULT_REQUEST_TIMEOUT_MS = 30_000;

/**
 * How much longer than the request its permit lives. Recording and applying the answer must fit in, a takeover in
 * between included; a permit that ran out first would turn a good answer into an obligation.
 */
export const APPLY_ALLOWANCE_MS = 30_000;

/** The error code of a permit whose answer was accepted but not applied; equal obligations of it are kept once. */
export const APPLY_NOT_COMMITTED = 'WORKSPACE_SYNC_V3_APPLY_NOT_COMMITTED';

export function deadlineAfter(timeoutMs: number): string {
  return new Date(Date.now() + timeoutMs + APPLY_ALLOWANCE_MS).toISOString();
}

export function throwIfAborted(signal: AbortSignal | undefined, what: string): void {
  if (signal?.aborted !== true) return;
  throw new TidelockError(LIBRARY_CODES.ABORTED, `${what} was aborted before it started.`, {
    details: { outcome: 'not-executed' },
    cause: signal.reason,
  });
}

/** The code to write on a permit for an error, or null where the error has none. */
export function readErrorCode(error: unknown): string | null {
  return isTidelockError(error) ? error.code : null;
}

/** Refuses what a `request` returned, naming the place: its outcome then counts as unknown. */
export function refuseAnswer(path: string, problem: string): never {
  throw new TidelockError(
    LIBRARY_CODES.INVALID_INPUT,
    `The request returned an invalid answer at "${path}": ${problem}.`,
    {
      details: { path, problem },
    },
  );
}

/** A page as it is sent; that it is JSON is checked by the call layer. */
export function toJson(page: unknown): Json {
  return (page ?? null) as Json;
}
