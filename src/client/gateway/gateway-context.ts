import { LIBRARY_CODES } from '../../domain/error-codes';
import type { Json } from '../../domain/json';
import { refuseInput } from '../../domain/refuse-input';
import { isTidelockError } from '../../domain/tidelock-error';
import type { Platform } from '../../platform/platform';
import { MAX_ID_LENGTH } from '../../protocol/limits';
import type { CallLayer } from '../call-layer';
import { aborted, makeBounds, whyEnded, type SessionEnd } from './bounds';

/** What the gateway's operations need of their client. */
export interface GatewayContext {
  readonly platform: Platform;
  readonly calls: CallLayer;
  readonly db: string;
  /** The workspace this tab works for. @throws TidelockError WORKSPACE_NONE */
  mustGetWorkspaceId(): string;
  /** The page's session at this moment: the holder of the permits issued now. */
  getSession(): SessionEnd;
}

/** The stream of a pull or push that names none. */
export const MAIN_STREAM = 'main';

/** Longest wait for the upstream where the caller sets no `timeoutMs`. */
export const DEFAULT_REQUEST_TIMEOUT_MS = 30_000;

/**
 * How much longer than the request its permit lives. Recording and applying the answer must fit in, a takeover in
 * between included; a permit that ran out first would turn a good answer into an obligation.
 */
const APPLY_ALLOWANCE_MS = 30_000;

/** The error code of a permit whose answer was accepted but not applied; equal obligations of it are kept once. */
const APPLY_NOT_COMMITTED = 'WORKSPACE_SYNC_V3_APPLY_NOT_COMMITTED';

export function deadlineAfter(platform: Platform, timeoutMs: number): string {
  return new Date(platform.now() + timeoutMs + APPLY_ALLOWANCE_MS).toISOString();
}

/** A turn as far as its lock goes. */
interface Turn {
  readonly platform: Platform;
  readonly lockName: string;
  readonly session: SessionEnd;
}

/** Works under the named lock where it is free at this moment; undefined where somebody has it. */
export async function tryTurn<T>(
  turn: Turn,
  work: () => Promise<T>,
): Promise<{ readonly value: T } | undefined> {
  const { platform, lockName, session } = turn;
  let working: Promise<T> | undefined;
  await platform.locks.request(lockName, { ifAvailable: true }, (lock) => {
    if (lock === null) return;
    working = work();
    return whileShown(session, working);
  });
  return working === undefined ? undefined : { value: await working };
}

/** Waits for the named lock, bounded by time, signal and session, and works under it. */
export async function takeTurn<T>(
  turn: Turn,
  wait: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
  work: () => Promise<T>,
): Promise<T> {
  const { platform, lockName, session } = turn;
  const bounds = makeBounds({ platform, session, ...wait, outcome: 'not-executed' });
  let working: Promise<T> | undefined;
  try {
    await platform.locks.request(lockName, { signal: bounds.signal }, () => {
      bounds.release();
      working = work();
      return whileShown(session, working);
    });
  } catch (error) {
    if (working === undefined) throw bounds.signal.reason ?? error;
  } finally {
    bounds.release();
  }
  if (working === undefined) throw new Error('a lock that was granted ran nothing');
  return await working;
}

/** For as long as the work goes on and the page is shown: a hidden page must not keep the others from their turn. */
async function whileShown(session: SessionEnd, work: Promise<unknown>): Promise<void> {
  if (session.ended.aborted) return;
  await new Promise<void>((over) => {
    session.ended.addEventListener('abort', () => over(), { once: true });
    work.then(
      () => over(),
      () => over(), // told to whoever waits for the work
    );
  });
}

/**
 * Sets issued permits in flight, unless the caller aborted meanwhile or they may not start: then they end clean.
 * @throws TidelockError ABORTED (`not-executed`), and the store's codes
 */
export async function startOrWithdraw(
  calls: CallLayer,
  permitIds: readonly string[],
  { signal, session }: { readonly signal: AbortSignal | undefined; readonly session: SessionEnd },
): Promise<void> {
  try {
    if (signal?.aborted === true) throw aborted('not-executed', signal.reason);
    await calls.invoke('gateway.startRequest', { permitIds }, { ...(signal && { signal }) });
  } catch (error) {
    // The permits of a session that is over are the writer's to end: they were its holder's.
    if (session.ended.aborted) throw whyEnded(session, 'not-executed');
    withdraw(calls, permitIds, readErrorCode(error) ?? LIBRARY_CODES.ABORTED);
    throw signal?.aborted === true ? aborted('not-executed', signal.reason) : error;
  }
  if (session.ended.aborted) throw whyEnded(session, 'not-executed');
}

/** Gives up permits whose accepted answer could not be applied: the obligation it leaves has it fetched or sent again. */
export async function abandonUnapplied(calls: CallLayer, permitIds: readonly string[]): Promise<void> {
  await abandon(calls, permitIds, APPLY_NOT_COMMITTED);
}

/** An answer whose record failed is not applied for that alone: then the record's error says why, and not the apply's. */
export function whyUnapplied(record: PromiseSettledResult<unknown>, applied: PromiseRejectedResult): unknown {
  return record.status === 'rejected' ? record.reason : applied.reason;
}

/** Gives up permits whose request did not go out. Nobody waits for it: the error that led here is the one to tell. */
export function withdraw(calls: CallLayer, permitIds: readonly string[], errorCode: string): void {
  void abandon(calls, permitIds, errorCode);
}

/** Never rejects. What is left active expires at its deadline. */
async function abandon(calls: CallLayer, permitIds: readonly string[], errorCode: string): Promise<void> {
  await calls.invoke('gateway.abandon', { permitIds, errorCode }).catch(() => undefined);
}

/** The code to write on a permit for an error, or null where the error has none. */
export function readErrorCode(error: unknown): string | null {
  return isTidelockError(error) ? error.code : null;
}

/** Refuses what a `request` returned, naming the place: its outcome then counts as unknown. */
export function refuseAnswer(path: string, problem: string): never {
  return refuseInput(path, problem, 'answer of the request');
}

/** Refuses an option of the caller's before anything is issued. */
export function refuseOption(path: string, problem: string): never {
  return refuseInput(path, problem, 'option');
}

/** A page as it is sent; that it is JSON is checked by the call layer. */
export function toJson(page: unknown): Json {
  return (page ?? null) as Json;
}

/** A stream's name becomes part of a lock's. @throws TidelockError INVALID_INPUT */
export function assertStream(stream: unknown): void {
  const isName =
    typeof stream === 'string' &&
    stream !== '' &&
    stream.length <= MAX_ID_LENGTH &&
    !/\p{Surrogate}/u.test(stream);
  if (!isName) refuseOption('stream', `wanted 1 to ${MAX_ID_LENGTH} characters of well-formed text`);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
