/**
 * Every Web Lock and channel of tidelock is named here and nowhere else.
 *
 *   lock  tidelock/<db>/writer             held by the worker that has the database open
 *   lock  tidelock/<db>/session/<id>       held by a tab while it lives; whoever gets it knows the tab is gone
 *   lock  tidelock/<db>/worker/<session>/<id>  held by a worker while it lives; its tab queues to learn of its death
 *   lock  tidelock/<db>/pull/<ws>/<stream> held by the tab that pulls; makes pulls of a stream follow each other
 *   chan  tidelock/<db>                    discovery: hello, announcements, change notes
 *   chan  tidelock/<db>/session/<id>       the calls of one tab
 */

/** Letters, digits, dot, dash and underscore: it becomes a folder, a lock and a channel name. No path, no leading dot. */
const DATABASE_NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/;

export function isDatabaseName(name: string): boolean {
  return DATABASE_NAME.test(name);
}

const MEMORY = '/memory';

/**
 * What tabs of a database meet under, `<db>` above: its name, with a suffix where it lives in memory. Tabs that want the
 * one must never be served by a writer of the other.
 */
export function toMeetingName(name: string, storage: 'opfs' | 'memory'): string {
  return storage === 'memory' ? `${name}${MEMORY}` : name;
}

export function isMeetingName(db: string): boolean {
  return isDatabaseName(db.endsWith(MEMORY) ? db.slice(0, -MEMORY.length) : db);
}

const root = (db: string): string => `tidelock/${db}`;

export interface WorkerName {
  /** The tab session that made the worker. */
  readonly sessionId: string;
  readonly workerId: string;
}

export const lockNames = {
  writer: (db: string): string => `${root(db)}/writer`,
  session: (db: string, sessionId: string): string => `${root(db)}/session/${sessionId}`,
  worker: (db: string, { sessionId, workerId }: WorkerName): string =>
    `${root(db)}/worker/${sessionId}/${workerId}`,
  pull: (db: string, workspaceId: string, stream: string): string =>
    `${root(db)}/pull/${encodeURIComponent(workspaceId)}/${encodeURIComponent(stream)}`,
} as const;

export const channelNames = {
  discovery: root,
  session: (db: string, sessionId: string): string => `${root(db)}/session/${sessionId}`,
} as const;

/** The session a session lock belongs to, or undefined where the lock is another one. */
export function parseSessionLock(db: string, lockName: string | undefined): string | undefined {
  const prefix = lockNames.session(db, '');
  return lockName?.startsWith(prefix) ? lockName.slice(prefix.length) : undefined;
}

/** The session whose worker holds the lock, or undefined where the lock is another one. */
export function parseWorkerLock(db: string, lockName: string | undefined): string | undefined {
  const prefix = `${root(db)}/worker/`;
  return lockName?.startsWith(prefix) ? lockName.slice(prefix.length).split('/')[0] : undefined;
}
