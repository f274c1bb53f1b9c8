import type { ErrorCode } from './error-codes';

/** Structured facts about an error: plain JSON-like values, safe to send through a port. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

export interface TidelockErrorOptions {
  readonly details?: ErrorDetails;
  readonly cause?: unknown;
}

/** The one error class: a closed `code` to switch over, a message for people, structured `details`, and the `cause`. */
export class TidelockError extends Error {
  override readonly name = 'TidelockError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, options: TidelockErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }
}

export function isTidelockError(value: unknown): value is TidelockError {
  return value instanceof TidelockError;
}
