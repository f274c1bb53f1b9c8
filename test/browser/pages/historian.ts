/**
 * A page that makes calls of every kind without end and tells each to whoever records: the invocation before the call
 * is made, the end after it is known. The recorder and the upstream live outside the browser, so that no kill loses a word.
 */
import { connect, type TideOf } from 'tidelock';
import type { AnswerNote, CallNote, HistoryEvent } from '../../support/history/history-event';
import { readFailure } from '../../support/history/history-recorder';
import type { App } from './ledger.worker';
// oxlint-disable-next-line import/default -- Vite answers with the address of the script
import ledgerWorkerUrl from './ledger.worker?worker&url';

/** What the test exposes to the page. */
interface Outside {
  noteEvent(event: HistoryEvent): Promise<void>;
  notePermit(permitId: string): Promise<void>;
  /** Upstream rows from this position on, and where they end. */
  upstreamPull(cursor: number): Promise<readonly number[]>;
  upstreamPush(identities: readonly string[]): Promise<void>;
}
const outside = globalThis as unknown as Outside; // exposed before the page loads

const WORKSPACE = 'w-1';
/** A pull waits for its turn among four tabs, and what a tab that was killed had under way. */
const OUT_OF_TIME = ['DEADLINE_EXCEEDED', 'WRITER_UNRESPONSIVE'];

let tide: TideOf<App>;
let worker: Worker | undefined;
let tab = '';
let calls = 0;
let isStopped = false;
let running: Promise<unknown> = Promise.resolve();

export async function start(options: { readonly db: string; readonly tab: string }): Promise<void> {
  ({ tab } = options);
  const makeWorker = (): Worker => (worker = new Worker(ledgerWorkerUrl, { type: 'module' }));
  tide = await connect<App>({ name: options.db, worker: makeWorker, startTimeoutMs: 60_000 });
  tide.on('status', see);
  see();
  await tide.workspaces.open(WORKSPACE, { userId: 'u-1', tenantId: 't-1' });
  const loops: readonly (readonly [work: (n: number) => Promise<void>, pauseMs: number])[] = [
    [(n) => append('r0', n), 30],
    [(n) => append('r1', n), 60],
    [listRows, 400],
    [pull, 150],
    [(n) => push([`${tab}/p${String(n)}`]), 100],
    [handlePermit, 150],
    [reopen, 300],
  ];
  running = Promise.all(loops.map(([work, pauseMs]) => repeat(work, pauseMs)));
}

/** Lets the calls in flight end. */
export async function stop(): Promise<void> {
  isStopped = true;
  await running;
}

export function terminateWorker(): void {
  worker?.terminate();
}

/** Pushes what nobody knows the end of, and pulls until there is no more; returns where the upstream's rows end. */
export async function settle(identities: readonly string[]): Promise<number> {
  for (const identity of identities) await push([identity]);
  for (;;) {
    const result = await tide.gateway.pull({ apply: 'append', request: fetchPage });
    if (result.outcome === 'applied' && result.output === 0) return Number(result.cursor);
  }
}

/** Everything that is there. */
export async function readFinal(permitIds: readonly string[]) {
  const { localDataVersion, sessionId } = tide.status;
  const permits = await Promise.all(permitIds.map((id) => tide.permits.read(id)));
  return {
    localDataVersion,
    sessionId,
    entries: await tide.query('entries', {}),
    permits: permits
      .filter((permit) => permit !== null)
      .map(({ permitId, state, holderId }) => ({ permitId, state, holderId })),
    obligations: (await tide.permits.listOpenRecoveryObligations(WORKSPACE)).map(
      ({ obligationId, permitId }) => ({ obligationId, permitId }),
    ),
  };
}

function see(): void {
  const { writer, localDataVersion: dataVersion } = tide.status;
  const what = writer === null ? { dataVersion } : { dataVersion, writer };
  void outside.noteEvent({ kind: 'saw', tab, what });
}

async function repeat(work: (n: number) => Promise<void>, pauseMs: number): Promise<void> {
  for (let n = 0; !isStopped; n++) {
    await work(n);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 2 * pauseMs));
  }
}

/** Makes a call between two notes; undefined where it failed. */
async function ask<T>(
  call: CallNote,
  work: () => Promise<T>,
  read: (value: T) => AnswerNote = () => ({}),
): Promise<T | undefined> {
  const callId = `${tab}#${String(++calls)}`;
  await outside.noteEvent({ kind: 'invoke', tab, callId, call });
  try {
    const value = await work();
    await outside.noteEvent({ kind: 'ok', tab, callId, value: read(value) });
    return value;
  } catch (error) {
    await outside.noteEvent({ ...readFailure(error), tab, callId });
    return undefined;
  }
}

async function append(loop: string, sequence: number): Promise<void> {
  const caller = `${tab}/${loop}`;
  const row = { id: `${caller}:${String(sequence)}`, caller, sequence };
  await ask({ name: 'mutate', row }, () => tide.mutate('append', { tab: caller, n: sequence }));
}

async function listRows(): Promise<void> {
  await ask(
    { name: 'query' },
    () => tide.query('entries', {}),
    (entries) => ({
      rows: entries
        .filter((entry) => entry.tab.includes('/'))
        .map((entry) => `${entry.tab}:${String(entry.n)}`),
    }),
  );
}

async function fetchPage({ cursor }: { readonly cursor: unknown }) {
  const from = typeof cursor === 'number' ? cursor : 0;
  const rows = await outside.upstreamPull(from);
  const page = rows.map((n) => ({ tab: 'pulled', n }));
  return { disposition: 'accepted' as const, page, nextCursor: from + rows.length };
}

async function pull(): Promise<void> {
  await ask({ name: 'pull', mayFail: OUT_OF_TIME }, () =>
    tide.gateway.pull({ apply: 'append', timeoutMs: 10_000, request: fetchPage }),
  );
}

async function push(identities: readonly string[]): Promise<void> {
  await ask(
    { name: 'push', operations: identities },
    () =>
      tide.gateway.push({
        apply: 'append',
        operations: identities.map((identity) => ({ identity, payload: {} })),
        request: async ({ operations }) => {
          const sent = operations.map(({ identity }) => identity);
          await outside.upstreamPush(sent);
          return {
            results: sent.map((identity) => ({ identity, disposition: 'accepted' as const })),
            page: sent.map((identity) => ({ tab: `echo ${identity.replaceAll('/', ' ')}`, n: 0 })),
          };
        },
      }),
    ({ results }) => ({ operations: results.map(({ identity, outcome }) => ({ identity, outcome })) }),
  );
}

async function handlePermit(n: number): Promise<void> {
  const permitId = `${tab}/h${String(n)}`;
  const fence = { permitId, workspaceId: WORKSPACE, coordinatorGeneration: tide.status.generation };
  const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
  await outside.notePermit(permitId);
  const issued = await ask({ name: 'permits.issue' }, () =>
    tide.permits.issue({ ...fence, operationClass: 'pull', deadlineAt: inMinutes(10) }),
  );
  if (issued === undefined) return;
  await ask({ name: 'permits.renew' }, () => tide.permits.renew({ ...fence, deadlineAt: inMinutes(20) }));
  if (n % 2 === 0) {
    await ask({ name: 'permits.release' }, () => tide.permits.release(fence));
    return;
  }
  await ask({ name: 'permits.transition' }, () =>
    tide.permits.transition({ ...fence, expectedState: 'issued-idle', nextState: 'gateway-in-flight' }),
  );
  await ask({ name: 'permits.transition' }, () =>
    tide.permits.transition({
      ...fence,
      expectedState: 'gateway-in-flight',
      nextState: 'gateway-complete-awaiting-apply',
      upstreamDisposition: 'rejected',
    }),
  );
  await ask({ name: 'permits.abandonPermit' }, () => tide.permits.abandonPermit(fence));
}

async function reopen(): Promise<void> {
  await ask({ name: 'workspaces.open' }, () =>
    tide.workspaces.open(WORKSPACE, { userId: 'u-1', tenantId: 't-1' }),
  );
  await ask({ name: 'permits.summarize' }, () => tide.permits.summarize(WORKSPACE));
}
