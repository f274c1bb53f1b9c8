import { LIBRARY_CODES } from '../domain/error-codes';
import { refuseInput } from '../domain/refuse-input';
import { TidelockError } from '../domain/tidelock-error';
import type { WriterHolder } from '../election/writer-holder';
import { browserTabPlatform } from '../platform/browser-tab-platform';
import type { TabPlatform } from '../platform/platform';
import type { StorageKind } from '../protocol/discovery';
import { DEFAULT_START_TIMEOUT_MS } from '../protocol/limits';
import { isDatabaseName, toMeetingName } from '../protocol/names';
import type { AppOf, ShapeOf } from './app-shape';
import { CallLayer } from './call-layer';
import { assertSignal, readTimeoutMs } from './call-options';
import { Persistence } from './persistence';
import { Presence } from './presence';
import type { TideStatus } from './status';
import { Tide } from './tide';

/** The client of an app's worker file: `TideOf<typeof app>`. */
export type TideOf<App extends AppOf> = Tide<ShapeOf<App>>;

export interface ConnectOptions {
  /** The database: 1 to 64 letters, digits, `.`, `-`, `_`. Tabs of one origin that name the same one share it. */
  readonly name: string;
  /** Makes the app's worker. Keep the `new Worker(new URL(…))` literal, so that bundlers see it. */
  readonly worker: () => Worker;
  /** `memory` keeps nothing past the writer's life; for tests and private windows. Default `opfs`. */
  readonly storage?: StorageKind;
  /**
   * `details.databaseId` of the STORAGE_LOST that told of a loss: an empty database is made in its place. On the user's
   * word: what was not yet sent to your server is gone. Good for that one loss; the next is told again.
   */
  readonly acceptLossOf?: string;
  /**
   * Longest wait for a first writer, in milliseconds; default 30,000. While this tab's own worker migrates, the
   * migration's own time counts: five minutes.
   */
  readonly startTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Joins the tabs of a database and resolves once a writer serves this one.
 * @throws TidelockError INVALID_INPUT, UNSUPPORTED_ENVIRONMENT, WORKER_LOAD_FAILED, START_TIMEOUT,
 *   WRITER_UNRESPONSIVE, PROTOCOL_MISMATCH, UPGRADE_REQUIRED, ABORTED, and where this tab's worker was to open the database: STORAGE_*, MIGRATION_FAILED, SCHEMA_TOO_NEW
 * @example
 * const tide = await connect<App>({
 *   name: 'tasks',
 *   worker: () => new Worker(new URL('./tasks.worker.ts', import.meta.url), { type: 'module' }),
 * });
 */
export async function connect<App extends AppOf>(options: ConnectOptions): Promise<TideOf<App>> {
  assertOptions(options);
  assertEnvironment();
  return await connectOn<App>(browserTabPlatform, options);
}

/** The same on a platform that is given: the browser's own, or a simulated one. */
export async function connectOn<App extends AppOf>(
  platform: TabPlatform,
  options: ConnectOptions,
): Promise<TideOf<App>> {
  if (options.signal?.aborted === true) throw aborted(options.signal.reason);
  const { name, worker, storage = 'opfs', acceptLossOf = null, signal } = options;
  const timeoutMs = readTimeoutMs(options.startTimeoutMs ?? DEFAULT_START_TIMEOUT_MS);
  const calls = new CallLayer(platform, {
    explain: () => presence.explain(),
    onSilence: (isSilent) => presence.seeSilence(isSilent),
  });
  const db = toMeetingName(name, storage);
  const presence: Presence = new Presence({
    platform,
    name,
    db,
    storage,
    acceptLossOf,
    factory: worker,
    calls,
  });
  const persistence = new Persistence(platform, presence.board);
  const tide = new Tide<ShapeOf<App>>({ platform, db, calls, presence, persistence });

  const onTimeout = (): void => {
    const { workerStage, workerStageDeadlineAt } = presence.board.current;
    // A migration that were cut short here would be as long the next time, and stop every tab again.
    const leftMs = workerStage === 'migrating' ? (workerStageDeadlineAt ?? 0) - platform.now() : 0;
    if (leftMs > 0) stopTimer = platform.after(leftMs, onTimeout);
    else presence.fail(startTimedOut(timeoutMs, presence.board.current, presence.explain().holder));
  };
  let stopTimer = platform.after(timeoutMs, onTimeout);
  const onAbort = (): void => presence.fail(aborted(signal?.reason));
  signal?.addEventListener('abort', onAbort, { once: true });
  persistence.start();
  try {
    await presence.start();
    return tide;
  } catch (error) {
    tide.close();
    throw error;
  } finally {
    stopTimer();
    signal?.removeEventListener('abort', onAbort);
  }
}

function assertOptions(options: ConnectOptions): void {
  if (typeof options !== 'object' || options === null) refuse('', 'not an object');
  const { name, worker, storage = 'opfs', acceptLossOf } = options;
  assertSignal(options.signal);
  if (typeof name !== 'string' || !isDatabaseName(name)) {
    refuse(
      'name',
      `${typeof name === 'string' ? `"${name}"` : typeof name} is no database name; wanted 1 to 64 letters, digits, ".", "-" or "_", no dot first`,
    );
  }
  if (typeof worker !== 'function') refuse('worker', 'not a function that makes a Worker');
  if (storage !== 'opfs' && storage !== 'memory')
    refuse('storage', `${typeof storage} is neither "opfs" nor "memory"`);
  if (acceptLossOf !== undefined && typeof acceptLossOf !== 'string')
    refuse('acceptLossOf', `${typeof acceptLossOf} is no id of a database`);
}

function refuse(path: string, problem: string): never {
  return refuseInput(path, problem, 'option');
}

/** OPFS itself is tried in the worker, where its sync handles are; here only what the page must have to get there. */
function assertEnvironment(): void {
  if (!globalThis.isSecureContext)
    unsupported('secure context', 'Serve the page over https or from localhost.');
  if (globalThis.navigator?.locks === undefined) unsupported('locks', 'This browser has no Web Locks.');
  if (typeof BroadcastChannel === 'undefined')
    unsupported('BroadcastChannel', 'This browser has no BroadcastChannel.');
  if (typeof Worker === 'undefined')
    unsupported('worker', 'Call connect in a page, not in a worker or on a server.');
}

function unsupported(missing: string, advice: string): never {
  throw new TidelockError(
    LIBRARY_CODES.UNSUPPORTED_ENVIRONMENT,
    `tidelock cannot run here: no ${missing}. ${advice}`,
    {
      details: { missing },
    },
  );
}

function startTimedOut(
  timeoutMs: number,
  { workerStage: stage, workerError }: TideStatus,
  holder: WriterHolder | null,
): TidelockError {
  const cause = workerError ?? undefined;
  if (holder !== null) {
    return new TidelockError(
      LIBRARY_CODES.WRITER_UNRESPONSIVE,
      `No writer served this tab within ${timeoutMs} ms: another one keeps the place and says nothing.`,
      { details: { stage, timeoutMs, holder }, cause },
    );
  }
  return new TidelockError(
    LIBRARY_CODES.START_TIMEOUT,
    `No writer served this tab within ${timeoutMs} ms; its own worker stands at "${stage}".`,
    { details: { stage, timeoutMs }, cause },
  );
}

function aborted(cause: unknown): TidelockError {
  return new TidelockError(LIBRARY_CODES.ABORTED, 'connect was aborted by its signal.', {
    details: { outcome: 'not-executed' },
    cause,
  });
}
