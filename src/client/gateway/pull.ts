import type { Json } from '../../domain/json';
import type { Permit } from '../../domain/permit';
import { lockNames } from '../../protocol/names';
import { readTimeoutMs } from '../call-layer';
import {
  APPLY_NOT_COMMITTED,
  DEFAULT_REQUEST_TIMEOUT_MS,
  MAIN_STREAM,
  deadlineAfter,
  readErrorCode,
  refuseAnswer,
  toJson,
  throwIfAborted,
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
    }
  | { readonly outcome: 'rejected'; readonly reason: string | null }
  /** Whether the upstream did anything is not known; `error` is why. An open obligation says so until a later pull. */
  | { readonly outcome: 'unknown'; readonly error: unknown };

/**
 * One page, under a permit of its own. Pulls of one stream follow each other over all tabs, so an older page cannot
 * land after a newer one.
 */
export async function pull<Page>(context: GatewayContext, options: PullOptions<Page>): Promise<PullResult> {
  const workspaceId = context.mustGetWorkspaceId();
  const stream = options.stream ?? MAIN_STREAM;
  const timeoutMs = readTimeoutMs(options.timeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS);
  throwIfAborted(options.signal, 'gateway.pull');
  const turn: LockOptions = options.signal === undefined ? {} : { signal: options.signal };
  return await navigator.locks.request(lockNames.pull(context.db, workspaceId, stream), turn, async () => {
    throwIfAborted(options.signal, 'gateway.pull');
    const permit = await context.calls.invoke('gateway.beginPull', {
      permitId: crypto.randomUUID(),
      workspaceId,
      stream,
      deadlineAt: deadlineAfter(timeoutMs),
    });
    const end = await runRequest(
      async (signal) =>
        assertPullAnswer(await options.request({ cursor: permit.lastCommittedCursor, permit, signal })),
      { timeoutMs, signal: options.signal },
    );
    return await settlePull(context, options.apply, permit, end);
  });
}

async function settlePull<Page>(
  { calls }: GatewayContext,
  handler: string,
  { permitId }: Permit,
  end: RequestEnd<PullAnswer<Page>>,
): Promise<PullResult> {
  if (end.kind === 'unknown') {
    await calls.invoke('gateway.recordOutcomes', {
      outcomes: [{ permitId, disposition: 'unknown', errorCode: readErrorCode(end.error) }],
    });
    return { outcome: 'unknown', error: end.error };
  }
  if (end.kind === 'not-started') {
    // Nothing went out, so nothing can have happened upstream: the same as a refusal, and the permit ends clean.
    await calls.invoke('gateway.recordOutcomes', {
      outcomes: [{ permitId, disposition: 'rejected', errorCode: end.error.code }],
    });
    throw end.error;
  }
  if (end.kind === 'rejected' || end.answer.disposition === 'rejected') {
    await calls.invoke('gateway.recordOutcomes', {
      outcomes: [{ permitId, disposition: 'rejected', errorCode: null }],
    });
    const reason =
      end.kind === 'rejected'
        ? end.error.message
        : end.answer.disposition === 'rejected'
          ? end.answer.reason
          : undefined;
    return { outcome: 'rejected', reason: reason ?? null };
  }
  const { page, nextCursor } = end.answer;
  // Asked in one tick, so they share a message and a commit; the first stands even where the apply fails.
  const recorded = calls.invoke('gateway.recordOutcomes', {
    outcomes: [{ permitId, disposition: 'accepted', errorCode: null }],
  });
  const applying = calls.invoke('gateway.applyPull', {
    permitId,
    handler: page === undefined ? null : handler,
    page: toJson(page),
    nextCursor,
  });
  const [, applied] = await Promise.allSettled([recorded, applying]);
  if (applied.status === 'fulfilled') {
    return {
      outcome: 'applied',
      localDataVersion: applied.value.localDataVersion,
      cursor: nextCursor,
      output: applied.value.output,
    };
  }
  await calls.invoke('gateway.abandon', { permitIds: [permitId], errorCode: APPLY_NOT_COMMITTED });
  throw applied.reason;
}

function assertPullAnswer<Page>(answer: PullAnswer<Page>): PullAnswer<Page> {
  const { disposition } = answer;
  if (disposition !== 'accepted' && disposition !== 'rejected')
    refuseAnswer('disposition', 'neither "accepted" nor "rejected"');
  if (disposition === 'accepted' && answer.nextCursor === undefined) refuseAnswer('nextCursor', 'missing');
  return answer;
}
