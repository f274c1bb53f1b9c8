/**
 * The protocol two builds must share to talk. Raise it when a call is added, or a call, a reply or a message changes its
 * meaning.
 */
export const PROTOCOL_VERSION = 4;

/** Largest message to the writer, as JSON text. Past it a clone blocks both sides for tens of milliseconds. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

/** Largest result of a query, as JSON text. It is built and cloned while every tab waits, so it has an end. */
export const MAX_QUERY_RESULT_BYTES = 32 * 1024 * 1024;

/** Deepest nesting of a message. Past it recursive code on either side is at risk. */
export const MAX_DEPTH = 64;

/**
 * Most operations in one push. Each permit carries the whole batch's identities, so rows grow with the square: a
 * hundred cost some hundred kilobytes, a thousand would cost a hundred times that.
 */
export const MAX_PUSH_OPERATIONS = 100;

/** Longest opaque id. */
export const MAX_ID_LENGTH = 200;

/** Most calls in one message; the rest go in the next. Keeps one tab from filling every batch. */
export const MAX_CALLS_PER_MESSAGE = 256;

/** How long a call waits for its answer where the caller sets no `timeoutMs`: a slow takeover fits in several times. */
export const DEFAULT_CALL_TIMEOUT_MS = 30_000;

/** How long `connect` waits for a first writer where the caller sets no `startTimeoutMs`. */
export const DEFAULT_START_TIMEOUT_MS = 30_000;

/** Longest `timeoutMs` of a call or a request: a day. Browser timers wrap past 24.8 days and would fire at once. */
export const MAX_TIMEOUT_MS = 86_400_000;
