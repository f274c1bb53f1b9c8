import { LIBRARY_CODES } from '../../src/domain/error-codes';
import { isThenable } from '../../src/domain/is-thenable';
import { TidelockError, isTidelockError } from '../../src/domain/tidelock-error';
import { checkPlainJson } from '../../src/protocol/plain-json';
import { TransactionEndedError } from '../sqlite/transaction-ended-error';

export interface HandlerRun {
  /** `queries.tasks`: for messages. */
  readonly name: string;
  /** Rows may hold BLOBs and bigints; what is kept as a receipt must be JSON. */
  readonly allowRowValues: boolean;
  /** Largest result, as JSON text. */
  readonly limitBytes: number;
}

/** Lends the database to a handler for one call: `AppDatabases.read` or `write`. */
type Lend<Db> = (work: (db: Db) => unknown) => { readonly value: unknown };

/**
 * Runs application code and types what comes of it. Its own errors become HANDLER_FAILED with the cause; a typed error
 * (bad input, full storage) stays what it is; the end of a shared transaction goes up to the scheduler untouched.
 */
export function runHandler<Db>(
  { name, allowRowValues, limitBytes }: HandlerRun,
  lend: Lend<Db>,
  work: (db: Db) => unknown,
): unknown {
  let value: unknown;
  try {
    value = lend((db) => refuseAsync(name, work(db))).value;
  } catch (cause) {
    if (isTidelockError(cause) || cause instanceof TransactionEndedError) throw cause;
    throw handlerFailed(name, cause);
  }
  if (value === undefined) return value;
  const { fault, sizeBytes } = checkPlainJson(value, { allowRowValues });
  if (fault === null) {
    if (sizeBytes > limitBytes) throw tooLarge(name, { limitBytes, actualBytes: sizeBytes });
    return value;
  }
  throw handlerFailed(
    name,
    new TypeError(`returned ${fault.problem} at "${fault.path}", which cannot be sent to a tab`),
  );
}

/** What a handler returned, where it is no promise. Asked inside the lent database, whose own refusal would hide the name. */
function refuseAsync<T>(name: string, value: T): T {
  if (!isThenable(value)) return value;
  value.then(undefined, () => undefined); // nobody waits for it any more
  throw new TidelockError(
    LIBRARY_CODES.HANDLER_ASYNC,
    `The handler ${name} returned a promise; it must be synchronous.`,
    { details: { handler: name } },
  );
}

function tooLarge(
  handler: string,
  sizes: { readonly limitBytes: number; readonly actualBytes: number },
): TidelockError {
  const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  return new TidelockError(
    LIBRARY_CODES.PAYLOAD_TOO_LARGE,
    `The handler ${handler} returned ${mib(sizes.actualBytes)}; at most ${mib(sizes.limitBytes)} can be sent to a tab.`,
    { details: { handler, ...sizes } },
  );
}

export function handlerFailed(name: string, cause: unknown): TidelockError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new TidelockError(LIBRARY_CODES.HANDLER_FAILED, `The handler ${name} failed: ${reason}`, {
    details: { handler: name },
    cause,
  });
}

/** Finds a handler by name. @throws TidelockError UNKNOWN_HANDLER */
export function mustGetHandler<H>(
  group: string,
  handlers: Readonly<Record<string, H>> | undefined,
  name: string,
): H {
  const handler = handlers !== undefined && Object.hasOwn(handlers, name) ? handlers[name] : undefined;
  if (handler !== undefined) return handler;
  throw new TidelockError(
    LIBRARY_CODES.UNKNOWN_HANDLER,
    `The worker file has no ${group} handler "${name}".`,
    {
      details: { group, handler: name, known: Object.keys(handlers ?? {}) },
    },
  );
}
