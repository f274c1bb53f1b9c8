import { JournalError } from './journal';
import { InvalidInputError } from './parse';

/** What a handled request is told, and how. */
export interface Reply {
  readonly status: number;
  /** Null sends no body. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** `lose` cuts the connection instead of answering. A number is how many ms the answer waits. */
  readonly delivery: 'lose' | number;
}

export const ERROR_CODES = {
  /** 400. `path` says where. Correct the request; nothing was changed. */
  INVALID_INPUT: 'INVALID_INPUT',
  /** 403. A fault switch rejected this pull; nothing was read. */
  FAULT_REJECTED: 'FAULT_REJECTED',
  /** 404. No such route. */
  NOT_FOUND: 'NOT_FOUND',
  /** 405. The route has no such method; the header `allow` lists those it has. */
  METHOD_NOT_ALLOWED: 'METHOD_NOT_ALLOWED',
  /** 409. The cursor is ahead of this server, which has lost its data or is another one. Start over without a cursor. */
  CURSOR_AHEAD: 'CURSOR_AHEAD',
  /** 413. The body is over 1 MiB. Split it; nothing was changed. */
  BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  /** 415. The body is not declared as JSON; nothing was changed. */
  UNSUPPORTED_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  /** 500. The push could not be kept, and may come to life at a restart. Restart the server, then repeat it. */
  JOURNAL_FAILED: 'JOURNAL_FAILED',
  /** 500. A mistake in this server, logged there; whether the request took effect is not known. */
  INTERNAL: 'INTERNAL',
} as const;
export type ErrorCode = (typeof ERROR_CODES)[keyof typeof ERROR_CODES];

/** A request is refused for another reason than its shape. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: number;
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: ErrorCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

export function replyWith(body: unknown, status = 200): Reply {
  return { status, body, delivery: 0 };
}

/** Turns whatever a handler threw into an answer. */
export function replyWithError(error: unknown): Reply {
  if (error instanceof InvalidInputError) {
    const { message, path } = error;
    return replyWith({ error: { code: ERROR_CODES.INVALID_INPUT, message, path } }, 400);
  }
  if (error instanceof RequestError) {
    const { status, code, message, headers } = error;
    return { ...replyWith({ error: { code, message } }, status), headers };
  }
  if (error instanceof JournalError) {
    return replyWith({ error: { code: ERROR_CODES.JOURNAL_FAILED, message: error.message } }, 500);
  }
  console.error(error);
  return replyWith(
    { error: { code: ERROR_CODES.INTERNAL, message: 'the server failed; its log says how' } },
    500,
  );
}
