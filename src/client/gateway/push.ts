import { makeTimeOrderedId } from '../../domain/call-id';
import { LIBRARY_CODES } from '../../domain/error-codes';
import type { KnownDisposition, BegunOperation, PushPermit } from '../../protocol/gateway-calls';
import { MAX_PUSH_OPERATIONS } from '../../protocol/limits';
import { assertSignal, readTimeoutMs } from '../call-options';
import { aborted, hidden, whyEnded } from './bounds';
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
  toJson,
  withdraw,
  whyUnapplied,
  type GatewayContext,
} from './gateway-context';
import { runRequest, type RequestEnd } from './run-request';

/** One change to be made upstream. The identity is the app's, unique for ever: by it the upstream knows a repeat. */
export interface PushOperation<Payload> {
  readonly identity: string;
  readonly payload: Payload;
}

export interface PushRequest<Payload> {
  /** Only those that this tab may send now: no other tab is sending them, and none was accepted before. */
  readonly operations: readonly PushOperation<Payload>[];
  readonly permits: readonly PushPermit[];
  readonly signal: AbortSignal;
}

export interface PushOperationAnswer {
  readonly identity: string;
  readonly disposition: KnownDisposition;
  readonly reason?: string;
}

export interface PushAnswer<Page> {
  /** One for each operation; what is missing counts as unknown. */
  readonly results: readonly PushOperationAnswer[];
  /** What the upstream sent back to apply; without it the accepted operations are released and no handler runs. */
  readonly page?: Page;
}

export interface PushOptions<Payload, Page> {
  /** At most 100, each identity once. */
  readonly operations: readonly PushOperation<Payload>[];
  readonly stream?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** The apply handler that takes the page, in the transaction that releases the accepted operations. */
  readonly apply?: string;
  readonly request: (request: PushRequest<Payload>) => Promise<PushAnswer<Page>>;
}

export type PushOutcome = KnownDisposition | 'busy' | 'already-accepted';

export interface PushedOperation {
  readonly identity: string;
  /** `busy`: another tab is sending it now. `already-accepted`: an earlier push of it was accepted and settled. */
  readonly outcome: PushOutcome;
  readonly reason: string | null;
}

export interface PushResult {
  /** In the order the operations were given. */
  readonly results: readonly PushedOperation[];
  /** Why outcomes are unknown, where the request itself failed; null otherwise. */
  readonly error: unknown;
}

/** Sends operations in one request, each under a permit of its own, so that each ends by itself. */
export async function push<Payload, Page>(
  context: GatewayContext,
  options: PushOptions<Payload, Page>,
): Promise<PushResult> {
  if (!isObject(options)) refuseOption('', 'not an object');
  if (typeof options.request !== 'function') refuseOption('request', 'not a function');
  if (options.stream !== undefined) assertStream(options.stream);
  assertSignal(options.signal);
  assertOperations(options.operations);
  const { calls, platform } = context;
  const { operations, signal } = options;
  const workspaceId = context.mustGetWorkspaceId();
  const timeoutMs = readTimeoutMs(options.timeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS);
  if (signal?.aborted === true) throw aborted('not-executed', signal.reason);
  if (operations.length === 0) return { results: [], error: null };
  const begun = await beginPush(context, options, { workspaceId, timeoutMs });
  const session = context.getSession();
  const granted = begun.flatMap(({ permit }) => (permit === null ? [] : [permit]));
  if (granted.length === 0) return report(operations, begun, new Map(), null);
  // The page was hidden and shown meanwhile: the permits are an earlier session's, and end with that.
  if (granted.some(({ holderId }) => holderId !== session.sessionId)) throw hidden('not-executed');
  const permitIds = granted.map(({ permitId }) => permitId);
  await startOrWithdraw(calls, permitIds, { signal, session });
  const mine = new Set(granted.map(({ operationIdentity }) => operationIdentity));
  const sent = operations.filter(({ identity }) => mine.has(identity));
  const end = await runRequest(
    async (bounds) =>
      assertPushAnswer(await options.request({ operations: sent, permits: granted, signal: bounds })),
    { platform, timeoutMs, signal, session },
  );
  const answers = readAnswers(sent, end);
  try {
    // A session that ended has left its permits to the writer, which makes obligations of them.
    if (!session.ended.aborted) {
      await settlePush(context, options.apply ?? null, granted, answers, end);
      return report(operations, begun, answers, readError(end));
    }
  } catch (error) {
    if (!session.ended.aborted) throw error;
  }
  const why = whyEnded(session);
  if (session.isClosed()) throw why;
  return report(operations, begun, new Map(), readError(end) ?? why);
}

async function beginPush<Payload, Page>(
  context: GatewayContext,
  { operations, stream = MAIN_STREAM, signal }: PushOptions<Payload, Page>,
  { workspaceId, timeoutMs }: { readonly workspaceId: string; readonly timeoutMs: number },
): Promise<readonly BegunOperation[]> {
  const { platform, calls } = context;
  const session = context.getSession();
  const asked = operations.map(({ identity }) => ({
    permitId: makeTimeOrderedId({ now: platform.now(), uuid: platform.randomUuid() }),
    operationIdentity: identity,
  }));
  try {
    const deadlineAt = deadlineAfter(platform, timeoutMs);
    const input = { workspaceId, stream, deadlineAt, operations: asked };
    const begun = await calls.invoke('gateway.beginPush', input, { ...(signal && { signal }) });
    // Asked again by another session of this page, the writer cannot tell its own earlier grants from another tab's.
    if (!session.ended.aborted || begun.every(({ status }) => status !== 'busy')) return begun;
    throw hidden('not-executed');
  } catch (error) {
    // Each by itself: a permit that was never issued must not keep the others from their end.
    for (const { permitId } of asked) {
      withdraw(calls, [permitId], readErrorCode(error) ?? LIBRARY_CODES.ABORTED);
    }
    if (session.ended.aborted) throw whyEnded(session, 'not-executed');
    throw signal?.aborted === true ? aborted('not-executed', signal.reason) : error;
  }
}

async function settlePush<Page>(
  { calls }: GatewayContext,
  handler: string | null,
  permits: readonly PushPermit[],
  answers: ReadonlyMap<string, PushOperationAnswer>,
  end: RequestEnd<PushAnswer<Page>>,
): Promise<void> {
  const errorCode = readErrorCode(readError(end));
  const outcomes = permits.map(({ permitId, operationIdentity }) => ({
    permitId,
    disposition: answers.get(operationIdentity ?? '')?.disposition ?? ('unknown' as const),
    errorCode,
  }));
  const accepted = outcomes.flatMap(({ permitId, disposition }) =>
    disposition === 'accepted' ? [permitId] : [],
  );
  const recorded = calls.invoke('gateway.recordOutcomes', { outcomes });
  if (accepted.length === 0) {
    await recorded;
    return;
  }
  const page = end.kind === 'answered' ? end.answer.page : undefined;
  // Asked in one tick, so that they usually share a message and a commit; the record stands even where the apply fails.
  const applying = calls.invoke('gateway.applyPush', {
    permitIds: accepted,
    handler: page === undefined ? null : handler,
    page: toJson(page),
  });
  const [noted, applied] = await Promise.allSettled([recorded, applying]);
  if (applied.status === 'fulfilled') return;
  await abandonUnapplied(calls, accepted);
  throw whyUnapplied(noted, applied);
}

function readAnswers<Payload, Page>(
  sent: readonly PushOperation<Payload>[],
  end: RequestEnd<PushAnswer<Page>>,
): ReadonlyMap<string, PushOperationAnswer> {
  switch (end.kind) {
    case 'answered':
      return collectAnswers(end.answer.results);
    case 'rejected':
      return new Map(
        sent.map(({ identity }) => [
          identity,
          { identity, disposition: 'rejected', reason: end.error.message },
        ]),
      );
    case 'not-started': // it was aborted in the moment of going out: a mutation in flight has no clean end
    case 'unknown':
      return new Map();
  }
}

/** Two answers for one operation that contradict each other say nothing. */
function collectAnswers(results: readonly PushOperationAnswer[]): ReadonlyMap<string, PushOperationAnswer> {
  const answers = new Map<string, PushOperationAnswer>();
  for (const result of results) {
    const earlier = answers.get(result.identity);
    const isContradiction = earlier !== undefined && earlier.disposition !== result.disposition;
    answers.set(
      result.identity,
      isContradiction
        ? { identity: result.identity, disposition: 'unknown', reason: 'contradictory answers' }
        : result,
    );
  }
  return answers;
}

function report<Payload>(
  operations: readonly PushOperation<Payload>[],
  begun: readonly BegunOperation[],
  answers: ReadonlyMap<string, PushOperationAnswer>,
  error: unknown,
): PushResult {
  const statuses = new Map(begun.map(({ operationIdentity, status }) => [operationIdentity, status]));
  const results = operations.map(({ identity }): PushedOperation => {
    const status = statuses.get(identity);
    if (status === 'busy' || status === 'already-accepted')
      return { identity, outcome: status, reason: null };
    const answer = answers.get(identity);
    return { identity, outcome: answer?.disposition ?? 'unknown', reason: answer?.reason ?? null };
  });
  return { results, error };
}

function readError<Page>(end: RequestEnd<PushAnswer<Page>>): unknown {
  return end.kind === 'unknown' || end.kind === 'not-started' ? end.error : null;
}

/** A caller may have no types, and an operation without a proper identity must not get as far as a permit. */
function assertOperations(operations: unknown): void {
  if (!Array.isArray(operations)) refuseOption('operations', 'not an array');
  if (operations.length > MAX_PUSH_OPERATIONS)
    refuseOption('operations', `${operations.length} given; at most ${MAX_PUSH_OPERATIONS} go in one push`);
  const seen = new Set<unknown>();
  operations.forEach((operation: unknown, index) => {
    const at = `operations[${index}]`;
    if (!isObject(operation)) return refuseOption(at, 'not an object');
    const { identity } = operation;
    if (typeof identity !== 'string' || identity === '' || identity.trim() !== identity)
      refuseOption(`${at}.identity`, 'not text without white space around it');
    if (seen.has(identity)) refuseOption(`${at}.identity`, `"${identity}" is given twice`);
    seen.add(identity);
  });
}

const DISPOSITIONS: readonly unknown[] = [
  'accepted',
  'rejected',
  'unknown',
] satisfies readonly KnownDisposition[];

function assertPushAnswer<Page>(answer: PushAnswer<Page>): PushAnswer<Page> {
  if (!isObject(answer)) refuseAnswer('', 'not an object');
  if (!Array.isArray(answer.results)) refuseAnswer('results', 'not an array');
  answer.results.forEach((result: unknown, index) => {
    if (!isObject(result)) return refuseAnswer(`results[${index}]`, 'not an object');
    if (!DISPOSITIONS.includes(result['disposition']))
      refuseAnswer(`results[${index}].disposition`, 'not "accepted", "rejected" or "unknown"');
  });
  return answer;
}
