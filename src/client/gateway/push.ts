import { LIBRARY_CODES } from '../../domain/error-codes';
import type { Permit } from '../../domain/permit';
import { TidelockError } from '../../domain/tidelock-error';
import type { BegunOperation, KnownDisposition } from '../../protocol/gateway-calls';
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

/** One change to be made upstream. The identity is the app's, unique for ever: by it the upstream knows a repeat. */
export interface PushOperation<Payload> {
  readonly identity: string;
  readonly payload: Payload;
}

export interface PushRequest<Payload> {
  /** Only those that this tab may send now: no other tab is sending them, and none was accepted before. */
  readonly operations: readonly PushOperation<Payload>[];
  readonly permits: readonly Permit[];
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
  /** What the upstream sent back to apply, if anything. */
  readonly page?: Page;
}

export interface PushOptions<Payload, Page> {
  readonly operations: readonly PushOperation<Payload>[];
  readonly stream?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** The apply handler that settles the accepted operations locally; without it they are only released. */
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
  const workspaceId = context.mustGetWorkspaceId();
  const timeoutMs = readTimeoutMs(options.timeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS);
  const operations = assertDistinct(options.operations);
  throwIfAborted(options.signal, 'gateway.push');
  if (operations.length === 0) return { results: [], error: null };
  const begun = await context.calls.invoke('gateway.beginPush', {
    workspaceId,
    stream: options.stream ?? MAIN_STREAM,
    deadlineAt: deadlineAfter(timeoutMs),
    operations: operations.map(({ identity }) => ({
      permitId: crypto.randomUUID(),
      operationIdentity: identity,
    })),
  });
  const granted = begun.flatMap(({ permit }) => (permit === null ? [] : [permit]));
  if (granted.length === 0) return report(operations, begun, new Map(), null);
  const mine = new Set(granted.map(({ operationIdentity }) => operationIdentity));
  const sent = operations.filter(({ identity }) => mine.has(identity));
  const end = await runRequest(
    async (signal) => assertPushAnswer(await options.request({ operations: sent, permits: granted, signal })),
    { timeoutMs, signal: options.signal },
  );
  const answers = readAnswers(sent, end);
  await settlePush(context, options.apply ?? null, granted, answers, end);
  return report(operations, begun, answers, readError(end));
}

async function settlePush<Page>(
  { calls }: GatewayContext,
  handler: string | null,
  permits: readonly Permit[],
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
  // Asked in the same tick, so both share a message and a commit; the record stands even where the apply fails.
  const applying = calls.invoke('gateway.applyPush', {
    permitIds: accepted,
    handler,
    page: toJson(page),
  });
  const [, applied] = await Promise.allSettled([recorded, applying]);
  if (applied.status === 'fulfilled') return;
  await calls.invoke('gateway.abandon', { permitIds: accepted, errorCode: APPLY_NOT_COMMITTED });
  throw applied.reason;
}

function readAnswers<Payload, Page>(
  sent: readonly PushOperation<Payload>[],
  end: RequestEnd<PushAnswer<Page>>,
): ReadonlyMap<string, PushOperationAnswer> {
  switch (end.kind) {
    case 'answered':
      return new Map(end.answer.results.map((result) => [result.identity, result]));
    case 'rejected':
      return new Map(
        sent.map(({ identity }) => [
          identity,
          { identity, disposition: 'rejected', reason: end.error.message },
        ]),
      );
    case 'not-started': // a permit in flight of a mutation has no clean end: the obligation sends it again
    case 'unknown':
      return new Map();
  }
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

function assertDistinct<Payload>(
  operations: readonly PushOperation<Payload>[],
): readonly PushOperation<Payload>[] {
  const seen = new Set<string>();
  operations.forEach(({ identity }, index) => {
    if (seen.has(identity)) {
      throw new TidelockError(
        LIBRARY_CODES.INVALID_INPUT,
        `Operation identity "${identity}" is given twice; each must be its own.`,
        {
          details: { path: `operations[${index}].identity`, problem: 'given twice' },
        },
      );
    }
    seen.add(identity);
  });
  return operations;
}

function readError<Page>(end: RequestEnd<PushAnswer<Page>>): unknown {
  return end.kind === 'unknown' || end.kind === 'not-started' ? end.error : null;
}

const DISPOSITIONS: readonly unknown[] = [
  'accepted',
  'rejected',
  'unknown',
] satisfies readonly KnownDisposition[];

function assertPushAnswer<Page>(answer: PushAnswer<Page>): PushAnswer<Page> {
  if (!Array.isArray(answer.results)) refuseAnswer('results', 'not an array');
  answer.results.forEach(({ disposition }, index) => {
    if (!DISPOSITIONS.includes(disposition))
      refuseAnswer(`results[${index}].disposition`, 'not "accepted", "rejected" or "unknown"');
  });
  return answer;
}
