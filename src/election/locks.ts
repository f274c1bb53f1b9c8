import { LIBRARY_CODES } from '../domain/error-codes';
import { TidelockError } from '../domain/tidelock-error';
import type { Locks } from '../platform/platform';

/**
 * Web Locks as a sign of life. A lock is held for as long as its owner's page or worker lives; the browser gives it
 * to the next in line on close, crash, reload and terminate. That, and no timeout, is how a death is learned here.
 * Nothing ever steals a lock: the victim would keep its file handles.
 */

/**
 * Takes the lock and keeps it until the returned function is called or this page or worker ends. Rejects on abort.
 * `onStolen`: somebody who is not this library took it away while it was held.
 */
export function holdLock(
  locks: Locks | undefined,
  name: string,
  options: { readonly signal?: AbortSignal; readonly onStolen?: () => void } = {},
): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const request: LockOptions = {
      mode: 'exclusive',
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    };
    if (locks === undefined) throw locksRefused(undefined); // the types do not know insecure pages
    let isHeld = false;
    locks
      .request(name, request, () => {
        isHeld = true;
        return new Promise<void>((release) => resolve(release));
      })
      .catch((error: unknown) => {
        if (isHeld) options.onStolen?.();
        else reject(isAbort(error) ? error : locksRefused(error));
      });
  });
}

/** Resolves once nobody holds the lock any more, without keeping it. Rejects on abort. */
export async function waitUntilFree(locks: Locks, name: string, signal: AbortSignal): Promise<void> {
  await locks.request(name, { mode: 'exclusive', signal }, () => undefined);
}

/** The names of locks held in this origin at this moment. Good for a first picture; a decision needs the lock itself. */
export async function listHeldLocks(locks: Locks): Promise<readonly string[]> {
  const { held = [] } = await locks.query();
  return held.flatMap(({ name }) => (name === undefined ? [] : [name]));
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

function locksRefused(cause: unknown): TidelockError {
  return new TidelockError(
    LIBRARY_CODES.UNSUPPORTED_ENVIRONMENT,
    'The browser refuses Web Locks to this page.',
    {
      details: { missing: 'locks' },
      cause,
    },
  );
}
