import { lockNames, parseWorkerLock } from '../protocol/names';
import type { Locks } from '../platform/platform';

/** Who holds the writer's lock, as far as the browser tells. */
export interface WriterHolder {
  /** The tab session whose worker it is; null where it is no worker of this library's. */
  readonly sessionId: string | null;
  /** The browser's own id of the worker, as in `navigator.locks.query()`. */
  readonly clientId: string | null;
}

/** Every worker of this library that lives at this moment for the database, the asking one included. */
export async function listWorkers(locks: Locks, db: string): Promise<readonly WriterHolder[]> {
  const { held = [] } = await locks.query();
  return held.flatMap(({ name, clientId }) => {
    const sessionId = parseWorkerLock(db, name);
    return sessionId === undefined ? [] : [{ sessionId, clientId: clientId ?? null }];
  });
}

/** Null where nobody holds it at this moment. */
export async function findWriterHolder(locks: Locks, db: string): Promise<WriterHolder | null> {
  const { held = [] } = await locks.query();
  const writer = held.find(({ name }) => name === lockNames.writer(db));
  if (writer === undefined) return null;
  const clientId = writer.clientId ?? null;
  const session = held
    .filter((lock) => clientId !== null && lock.clientId === clientId)
    .map(({ name }) => parseWorkerLock(db, name))
    .find((sessionId) => sessionId !== undefined);
  return { sessionId: session ?? null, clientId };
}
