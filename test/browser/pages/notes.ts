/** A page on the notes' worker file, driven by tests: what it exports is called in real tabs. */
import { connect, type Json, type PushAnswer, type TideOf, type TideStatus } from 'tidelock';
import type { App } from './notes.worker';
import { settle, type Outcome } from './settle';

let tide: TideOf<App> | undefined;
/** The worker the factory made last. */
let last: Worker | undefined;

function mustHaveTide(): TideOf<App> {
  if (tide === undefined) throw new Error('join first');
  return tide;
}

const WORKERS = {
  notes: () => new Worker(new URL('./notes.worker.ts', import.meta.url), { type: 'module' }),
  'broken-migration': () =>
    new Worker(new URL('./broken-migration.worker.ts', import.meta.url), { type: 'module' }),
  blocked: () => new Worker(new URL('./blocked.worker.ts', import.meta.url), { type: 'module' }),
  silent: () =>
    new Worker(URL.createObjectURL(new Blob([''], { type: 'text/javascript' })), { type: 'module' }),
} as const;
export type WorkerKind = keyof typeof WORKERS;

export interface JoinOptions {
  readonly worker?: WorkerKind;
  readonly storage?: 'opfs' | 'memory';
  readonly startTimeoutMs?: number;
}

/** Connects and opens the workspace. */
export function join(
  name: string,
  { worker = 'notes', ...options }: JoinOptions = {},
): Promise<Outcome<TideStatus>> {
  return settle(async () => {
    tide = await connect<App>({ name, worker: () => (last = WORKERS[worker]()), ...options });
    await tide.workspaces.open('w-1', { userId: 'u-1', tenantId: 't-1' });
    return tide.status;
  });
}

/** Connects without opening a workspace. */
export function joinOnly(name: string): Promise<Outcome<TideStatus>> {
  return settle(async () => {
    tide = await connect<App>({ name, worker: WORKERS.notes });
    return tide.status;
  });
}

export function readStatus(): Omit<TideStatus, 'workerError'> {
  const { workerError: _error, ...status } = mustHaveTide().status;
  return status;
}

export function addNote(id: string, text = id): Promise<Outcome<unknown>> {
  return settle(() => mustHaveTide().mutate('addNote', { id, text }));
}

/** Adds notes one after the other until `stopAdding`; resolves with the outcome of each. */
export async function keepAdding(prefix: string): Promise<Record<string, Outcome<unknown>>> {
  const outcomes: Record<string, Outcome<unknown>> = {};
  isAdding = true;
  for (let index = 0; isAdding; index++)
    outcomes[`${prefix}-${String(index)}`] = await addNote(`${prefix}-${String(index)}`);
  return outcomes;
}
let isAdding = false;
export function stopAdding(): void {
  isAdding = false;
}

export function fail(): Promise<Outcome<unknown>> {
  return settle(() => mustHaveTide().mutate('fail', {}));
}

export function mutateUnknown(): Promise<Outcome<unknown>> {
  return settle(() => mustHaveTide().mutate('nothing' as 'fail', {}));
}

export function spin(ms: number, timeoutMs: number): Promise<Outcome<unknown>> {
  return settle(() => mustHaveTide().query('spin', { ms }, { timeoutMs }));
}

export async function listNotes(): Promise<readonly string[]> {
  return (await mustHaveTide().query('notes', {})).map(({ id }) => id);
}

/** Resolves at the next change note. */
export function waitForChange(): Promise<number> {
  return new Promise((resolve) => {
    const stop = mustHaveTide().on('change', ({ localDataVersion }) => {
      stop();
      resolve(localDataVersion);
    });
  });
}

export function waitForRole(role: TideStatus['role']): Promise<number> {
  return new Promise((resolve) => {
    const check = (status: TideStatus): void => {
      if (status.role === role) resolve(status.writer?.epoch ?? 0);
    };
    mustHaveTide().on('status', check);
    check(mustHaveTide().status);
  });
}

/** Begins a pull whose request answers only when `answerPull` says so; resolves once the request is under way. */
export function beginPull(): Promise<string> {
  return new Promise((started) => {
    pulling = settle(() =>
      mustHaveTide().gateway.pull({
        apply: 'notes',
        request: ({ permit, cursor }) => {
          started(permit.permitId);
          return new Promise((resolve) => {
            answer = (page, nextCursor) => resolve({ disposition: 'accepted', page: [...page], nextCursor });
            reject = () => resolve({ disposition: 'rejected' });
            seenCursor = cursor;
          });
        },
      }),
    );
  });
}
let pulling: Promise<Outcome<unknown>> | undefined;
let answer: ((page: readonly { id: string; text: string }[], nextCursor: Json) => void) | undefined;
let reject: (() => void) | undefined;
let seenCursor: Json = null;

export async function answerPull(
  page: readonly { id: string; text: string }[],
  nextCursor: Json,
): Promise<{ outcome: Outcome<unknown> | undefined; cursor: Json }> {
  answer?.(page, nextCursor);
  return { outcome: await pulling, cursor: seenCursor };
}

export async function rejectPull(): Promise<Outcome<unknown> | undefined> {
  reject?.();
  return await pulling;
}

/** A push of one operation whose request ends as asked. */
export function pushOne(identity: string, end: 'accepted' | 'rejected' | 'throw'): Promise<Outcome<unknown>> {
  return push(identity, () => {
    if (end === 'throw') return Promise.reject(new TypeError('Failed to fetch'));
    return Promise.resolve({ results: [{ identity, disposition: end }] });
  });
}

/** Begins a push whose request never answers; resolves once the request is under way. */
export function beginHangingPush(identity: string, timeoutMs: number): Promise<void> {
  return new Promise((started) => {
    hanging = push(
      identity,
      () => {
        started();
        return new Promise(() => undefined);
      },
      timeoutMs,
    );
  });
}
let hanging: Promise<Outcome<unknown>> | undefined;

export async function endHangingPush(): Promise<Outcome<unknown> | undefined> {
  return hanging;
}

function push(
  identity: string,
  request: () => Promise<PushAnswer<never>>,
  timeoutMs = 2_000,
): Promise<Outcome<unknown>> {
  return settle(async () => {
    const operations = [{ identity, payload: {} }];
    const { results } = await mustHaveTide().gateway.push({ operations, timeoutMs, request });
    return results;
  });
}

export function issuePermit(permitId: string): Promise<Outcome<{ state: string; serverInstanceId: string }>> {
  return settle(() =>
    mustHaveTide().permits.issue({
      permitId,
      workspaceId: 'w-1',
      coordinatorGeneration: mustHaveTide().status.generation,
      operationClass: 'pull',
      deadlineAt: new Date(Date.now() + 600_000).toISOString(),
    }),
  );
}

/** Starts a permit under an instance id the caller learned earlier. */
export function startPermit(
  permitId: string,
  serverInstanceId: string,
): Promise<Outcome<{ state: string; serverInstanceId: string }>> {
  return settle(() =>
    mustHaveTide().permits.transition({
      permitId,
      workspaceId: 'w-1',
      coordinatorGeneration: mustHaveTide().status.generation,
      serverInstanceId,
      expectedState: 'issued-idle',
      nextState: 'gateway-in-flight',
    }),
  );
}

export async function readPermit(
  permitId: string,
): Promise<{ state: string; errorCode: string | null } | null> {
  return mustHaveTide().permits.read(permitId);
}

export async function countOpenObligations(): Promise<number> {
  return (await mustHaveTide().permits.summarize('w-1')).recoveryObligations;
}

export function close(): void {
  tide?.close();
}

/** A pull or push that is aborted in the same tick in which it was asked for. */
export function abortAtOnce(what: 'pull' | 'push'): Promise<Outcome<unknown>> {
  const controller = new AbortController();
  const { signal } = controller;
  const { gateway } = mustHaveTide();
  const request = (): Promise<never> => Promise.reject(new Error('the request went out'));
  const ended = settle<unknown>(() =>
    what === 'pull'
      ? gateway.pull({ apply: 'notes', signal, request })
      : gateway.push({ operations: [{ identity: 'op-1', payload: {} }], signal, request }),
  );
  controller.abort();
  return ended;
}

/** A pull that may wait its turn; its request answers at once. */
export function pullOnce(
  options: { readonly timeoutMs?: number; readonly abortAfterMs?: number } = {},
): Promise<Outcome<unknown>> {
  const controller = new AbortController();
  if (options.abortAfterMs !== undefined) setTimeout(() => controller.abort(), options.abortAfterMs);
  return settle(() =>
    mustHaveTide().gateway.pull({
      apply: 'notes',
      timeoutMs: options.timeoutMs ?? 10_000,
      signal: controller.signal,
      request: () =>
        Promise.resolve({ disposition: 'accepted', page: [], nextCursor: { at: crypto.randomUUID() } }),
    }),
  );
}

/** Pushes with an apply handler whose request answers without a page. */
export function pushWithoutPage(identity: string): Promise<Outcome<unknown>> {
  return settle(async () => {
    const { results } = await mustHaveTide().gateway.push({
      operations: [{ identity, payload: {} }],
      apply: 'notes',
      request: () => Promise.resolve({ results: [{ identity, disposition: 'accepted' }] }),
    });
    return results;
  });
}

/** Calls of somebody without types; each must be refused before anything is issued. */
export async function callWithoutTypes(): Promise<Readonly<Record<string, Outcome<unknown>>>> {
  const tide = mustHaveTide();
  const { pull, push: send } = tide.gateway as unknown as Record<
    'pull' | 'push',
    (options: unknown) => Promise<unknown>
  >;
  const request = (): Promise<never> => Promise.reject(new Error('the request went out'));
  const open = tide.workspaces.open as (id: string) => Promise<unknown>;
  return {
    pullWithoutRequest: await settle(() => pull({ apply: 'notes' })),
    pullWithoutApply: await settle(() => pull({ request })),
    pushWithoutRequest: await settle(() => send({ operations: [] })),
    pushOfText: await settle(() => send({ operations: 'xy', request })),
    pushOfNull: await settle(() => send({ operations: [null], request })),
    pushWithoutIdentity: await settle(() => send({ operations: [{ payload: 1 }], request })),
    pushTwice: await settle(() => send({ operations: [{ identity: 'a' }, { identity: 'a' }], request })),
    pushTooMany: await settle(() =>
      send({
        operations: Array.from({ length: 101 }, (_, index) => ({ identity: `o-${String(index)}` })),
        request,
      }),
    ),
    openWithoutPrincipal: await settle(() => open('w-1')),
  };
}

/** Pushes whose request answers nonsense; the outcome is then unknown. */
export async function pushNonsense(): Promise<readonly unknown[]> {
  const answers: readonly unknown[] = [
    undefined,
    { results: [null] },
    { results: [{ identity: 'op', disposition: 'perhaps' }] },
    {
      results: [
        { identity: 'op', disposition: 'accepted' },
        { identity: 'op', disposition: 'rejected' },
      ],
    },
  ];
  const outcomes: unknown[] = [];
  for (const answer of answers) {
    const { results } = await mustHaveTide().gateway.push({
      operations: [{ identity: 'op', payload: {} }],
      request: () => Promise.resolve(answer as PushAnswer<never>),
    });
    outcomes.push(results[0]?.outcome);
  }
  return outcomes;
}

/** Ends the worker made last, whatever it is doing; true where there was one. */
export function terminateLast(): boolean {
  last?.terminate();
  return last !== undefined;
}

export function handOver(): Promise<Outcome<unknown>> {
  return settle(() => mustHaveTide().handOver());
}

let changes: number[] = [];
/** From now on; see `readChanges`. */
export function recordChanges(): void {
  changes = [];
  mustHaveTide().on('change', ({ localDataVersion }) => changes.push(localDataVersion));
}
export function readChanges(): readonly number[] {
  return changes;
}

/** How many workers of this page live: each holds a lock. */
export async function countWorkers(): Promise<number> {
  const { db, sessionId } = mustHaveTide().status;
  const { held = [] } = await navigator.locks.query();
  return held.filter(({ name }) => name?.startsWith(`tidelock/${db}/worker/${sessionId}/`)).length;
}
