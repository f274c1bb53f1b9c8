import { makeTimeOrderedId } from '../../domain/call-id';
import { LIBRARY_CODES } from '../../domain/error-codes';
import type { Json } from '../../domain/json';
import type { Permit } from '../../domain/permit';
import type { KnownDisposition, StreamScope } from '../../protocol/gateway-calls';
import { lockNames } from '../../protocol/names';
import { assertSignal, readTimeoutMs, type CallOptions } from '../call-options';
import { aborted, hidden, whyEnded, type SessionEnd } from './bounds';
import {
  DEFAULT_REQUEST_TIMEOUT_MS,
  MAIN_STREAM,
  abandonUnapplied,
  assertStream,
  deadlineAfter,
  isObject,
  readErrorCode,
  refuseAnswer,
  refuseOption,
  startOrWithdraw,
  takeTurn,
  toJson,
  whyUnapplied,
  tryTurn,
  withdraw,
  type GatewayContext,
} from './gateway-context';
import { runRequest, type RequestEnd } from './run-request';

export interface PullRequest {
  /** Where the local data stands; null before the first page. */
  readonly cursor: Json;
  readonly permit: Permit;
  /** Fires at the timeout and with the caller's signal: pass it to `fetch`. */
  readonly signal: AbortSignal;
}

export type PullAnswer<Page> =
  | { readonly disposition: 'accepted'; readonly page?: Page; readonly nextCursor: Json }
  | { readonly disposition: 'rejected'; readonly reason?: string };

export interface PullOptions<Page> {
  /** Default `main`. Each stream has its own committed cursor. */
  readonly stream?: string;
  /** For the request alone, in milliseconds; default 30,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** The apply handler in the worker file that takes the page. */
  readonly apply: string;
  /** Makes the network request. Throw `UpstreamRejected` for a refusal; any other throw leaves the outcome unknown. */
  readonly request: (request: PullRequest) => Promise<PullAnswer<Page>>;
}

export type PullResult =
  | {
      readonly outcome: 'applied';
      readonly localDataVersion: number;
      readonly cursor: Json;
      readonly output: Json;
      /** It is another caller's pull, in this tab or another, that this one waited for. */
      readonly shared: boolean;
    }
  | { readonly outcome: 'rejected'; readonly reason: string | null }
  /** Whether the upstream did anything is not known; `error` is why. An open obligation says so until a later pull. */
  | { readonly outcome: 'unknown'; readonly error: unknown };

/**
 * One page, under a permit of its own. One pull of a stream runs at a time over all tabs, so an older page cannot land
 * after a newer one; who comes meanwhile waits for it, as long as for a request, and takes over what it applied. What
 * was not applied is nobody else's result: the next in line pulls for itself.
 */
export async function pull<Page>(context: GatewayContext, options: PullOptions<Page>): Promise<PullResult> {
  if (!isObject(options)) refuseOption('', 'not an object');
  if (typeof options.request !== 'function') refuseOption('request', 'not a function');
  if (typeof options.apply !== 'string') refuseOption('apply', 'not the name of an apply handler');
  const { platform, calls } = context;
  const { stream = MAIN_STREAM, signal } = options;
  assertStream(stream);
  assertSignal(signal);
  const scope = { workspaceId: context.mustGetWorkspaceId(), stream };
  const timeoutMs = readTimeoutMs(options.timeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS);
  if (signal?.aborted === true) throw aborted('not-executed', signal.reason);
  const bounded: CallOptions = { timeoutMs, ...(signal && { signal }) };
  const lockName = lockNames.pull(context.db, scope.workspaceId, stream);
  const turn = { platform, lockName, session: context.getSession() };
  const lead = (): Promise<PullResult> => pullOnce(context, options, { scope, timeoutMs });
  const led = await tryTurn(turn, lead);
  if (led !== undefined) return led.value;
  const before = await calls.invoke('gateway.readLastPull', scope, bounded);
  return await takeTurn(turn, { timeoutMs, signal }, async () => {
    const last = await calls.invoke('gateway.readLastPull', scope, bounded);
    if (last === null || last.permitId === before?.permitId) return await lead();
    const { localDataVersion, cursor, output } = last;
    return { outcome: 'applied', localDataVersion, cursor, output, shared: true };
  });
}

interface Pulling {
  readonly scope: StreamScope;
  readonly timeoutMs: number;
}

async function pullOnce<Page>(
  context: GatewayContext,
  options: PullOptions<Page>,
  { scope, timeoutMs }: Pulling,
): Promise<PullResult> {
  const { platform, calls } = context;
  const { signal } = options;
  const permit = await beginPull(context, { scope, timeoutMs }, signal);
  const session = context.getSession();
  // The page was hidden and shown meanwhile: the permit is an earlier session's, and ends with that.
  if (permit.holderId !== session.sessionId) throw hidden('not-executed');
  await startOrWithdraw(calls, [permit.permitId], { signal, session });
  const end = await runRequest(
    async (bounds) =>
      assertPullAnswer(await options.request({ cursor: permit.lastCommittedCursor, permit, signal: bounds })),
    { platform, timeoutMs, signal, session },
  );
  try {
    // A session that ended has left its permits to the writer, which makes an obligation of this one.
    if (!session.ended.aborted) return await settlePull(context, options.apply, permit, end);
  } catch (error) {
    if (!session.ended.aborted) throw error;
  }
  return ended(session, end);
}

async function beginPull(
  context: GatewayContext,
  { scope, timeoutMs }: Pulling,
  signal: AbortSignal | undefined,
): Promise<Permit> {
  const { platform, calls } = context;
  const session = context.getSession();
  const permitId = makeTimeOrderedId({ now: platform.now(), uuid: platform.randomUuid() });
  try {
    const deadlineAt = deadlineAfter(platform, timeoutMs);
    const input = { ...scope, permitId, deadlineAt };
    return await calls.invoke('gateway.beginPull', input, { ...(signal && { signal }) });
  } catch (error) {
    if (session.ended.aborted) throw whyEnded(session, 'not-executed');
    withdraw(calls, [permitId], readErrorCode(error) ?? LIBRARY_CODES.ABORTED);
    throw signal?.aborted === true ? aborted('not-executed', signal.reason) : error;
  }
}

async function settlePull<Page>(
  { calls }: GatewayContext,
  handler: string,
  { permitId }: Permit,
  end: RequestEnd<PullAnswer<Page>>,
): Promise<PullResult> {
  const record = (disposition: KnownDisposition, errorCode: string | null): Promise<null> =>
    calls.invoke('gateway.recordOutcomes', { outcomes: [{ permitId, disposition, errorCode }] });
  if (end.kind === 'unknown') {
    await record('unknown', readErrorCode(end.error));
    return { outcome: 'unknown', error: end.error };
  }
  if (end.kind === 'not-started') {
    // Nothing went out, so nothing can have happened upstream: the same as a refusal, and the permit ends clean.
    await record('rejected', end.error.code);
    throw end.error;
  }
  if (end.kind === 'rejected') {
    await record('rejected', null);
    return { outcome: 'rejected', reason: end.error.message };
  }
  const { answer } = end;
  if (answer.disposition === 'rejected') {
    await record('rejected', null);
    return { outcome: 'rejected', reason: answer.reason ?? null };
  }
  const { page, nextCursor } = answer;
  // Asked in one tick, so that they usually share a message and a commit; the record stands even where the apply fails.
  const recorded = record('accepted', null);
  const applying = calls.invoke('gateway.applyPull', {
    permitId,
    handler: page === undefined ? null : handler,
    page: toJson(page),
    nextCursor,
  });
  const [noted, applied] = await Promise.allSettled([recorded, applying]);
  if (applied.status === 'rejected') {
    await abandonUnapplied(calls, [permitId]);
    throw whyUnapplied(noted, applied);
  }
  const { localDataVersion, output } = applied.value;
  return { outcome: 'applied', localDataVersion, cursor: nextCursor, output, shared: false };
}

/** The end of a pull whose session is over. @throws TidelockError CLIENT_CLOSED */
function ended<Page>(session: SessionEnd, end: RequestEnd<PullAnswer<Page>>): PullResult {
  const error = end.kind === 'unknown' ? end.error : whyEnded(session);
  if (session.isClosed()) throw error;
  return { outcome: 'unknown', error };
}

function assertPullAnswer<Page>(answer: PullAnswer<Page>): PullAnswer<Page> {
  if (!isObject(answer)) refuseAnswer('', 'not an object');
  const { disposition } = answer;
  if (disposition !== 'accepted' && disposition !== 'rejected')
    refuseAnswer('disposition', 'neither "accepted" nor "rejected"');
  if (disposition === 'accepted' && answer.nextCursor === undefined) refuseAnswer('nextCursor', 'missing');
  return answer;
}
