/** A page on the ledger's worker file: what it exports is called in real tabs. */
import {
  connect,
  isTidelockError,
  type ConnectOptions,
  type StorageKind,
  type TideOf,
  type TideStatus,
} from 'tidelock';
import { CALLS_OF_EVERY_KIND, type Ledger } from './calls-of-every-kind';
import { ERRORS } from './errors';
import type { App } from './ledger.worker';
// oxlint-disable-next-line import/default -- Vite answers with the address of the script
import ledgerWorkerUrl from './ledger.worker?worker&url';
import { settle, type Outcome } from './settle';

let tide: TideOf<App> | undefined;
/** Rejections that nobody handled, in this page. */
const unhandled: string[] = [];
/** Codes of the errors that came with `upgrade-required`. */
const upgrades: string[] = [];
/** Where this page's worker script is from now on: a deploy moves it. */
let movedTo: URL | undefined;
addEventListener('unhandledrejection', ({ reason }) => unhandled.push(String(reason)));

export interface JoinOptions {
  /** What goes wrong in the worker, as `faults.ts` reads it: `late=3000`. */
  readonly faults?: string;
  readonly startTimeoutMs?: number;
  /** Opened after connecting; null opens none. */
  readonly workspaceId?: string | null;
  /** Another script than the ledger's. */
  readonly script?: string;
  readonly storage?: StorageKind;
  readonly acceptLossOf?: string;
}

function makeOptions(
  name: string,
  { faults = '', script, workspaceId: _opened, ...options }: JoinOptions,
): ConnectOptions {
  const url = makeWorkerUrl(faults, script);
  const worker = (): Worker => new Worker(movedTo ?? url, { type: 'module' });
  return { name, worker, ...options };
}

export function join(name: string, options: JoinOptions = {}): Promise<Outcome<TideStatus>> {
  return settle(async () => {
    tide = await connect<App>(makeOptions(name, options));
    tide.on('upgrade-required', ({ error }) =>
      upgrades.push(isTidelockError(error) ? error.code : String(error)),
    );
    const { workspaceId = 'w-1' } = options;
    if (workspaceId !== null) await open(tide, workspaceId);
    return tide.status;
  });
}

/** Joins unless this page has, as one out of the back/forward cache; says which. */
export async function joinOnce(name: string, options: JoinOptions = {}): Promise<'joined' | 'had joined'> {
  if (tide !== undefined) return 'had joined';
  const outcome = await join(name, options);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome));
  return 'joined';
}

/** Joins, and ends the joining by its signal; resolves with the milliseconds that took, and how it ended. */
export async function joinAborted(name: string, afterMs: number): Promise<[number, Outcome<unknown>]> {
  const startedMs = performance.now();
  const signal = AbortSignal.timeout(afterMs);
  const outcome = await settle(async () => {
    const client = await connect<App>({ ...makeOptions(name, {}), signal });
    client.close();
  });
  return [performance.now() - startedMs, outcome];
}

async function open(client: TideOf<App>, workspaceId: string): Promise<unknown> {
  return client.workspaces.open(workspaceId, { userId: 'u-1', tenantId: 't-1' });
}

export function openWorkspace(workspaceId: string, userId = 'u-1'): Promise<Outcome<unknown>> {
  return settle(() => mustHaveTide().workspaces.open(workspaceId, { userId, tenantId: 't-1' }));
}

export function mustHaveTide(): TideOf<App> {
  if (tide === undefined) throw new Error('join first');
  return tide;
}

/** Resolves when the status tells this connection. */
export function waitForConnection(connection: TideStatus['connection']): Promise<void> {
  return new Promise((resolve) => {
    const check = (status: TideStatus): void => {
      if (status.connection === connection) resolve();
    };
    mustHaveTide().on('status', check);
    check(mustHaveTide().status);
  });
}

export function waitForStage(stage: TideStatus['workerStage']): Promise<number | null> {
  return new Promise((resolve) => {
    const check = (status: TideStatus): void => {
      if (status.workerStage === stage) resolve(status.workerStageDeadlineAt);
    };
    mustHaveTide().on('status', check);
    check(mustHaveTide().status);
  });
}

export function readStatus(): Omit<TideStatus, 'workerError'> & { readonly workerError: string | null } {
  const { workerError, ...status } = mustHaveTide().status;
  return { ...status, workerError: workerError === null ? null : String(workerError) };
}

export function readUpgrades(): readonly string[] {
  return upgrades;
}

/** From now on this page's worker file is another one. */
export function redeploy(faults: string): void {
  movedTo = makeWorkerUrl(faults);
}

/** From now on the server has no worker file for this page. */
export function loseWorkerFile(): void {
  movedTo = new URL('/bundled/assets/of-an-earlier-deploy.js', location.href);
}

function makeWorkerUrl(faults: string, script = ledgerWorkerUrl): URL {
  const url = new URL(script, location.href);
  for (const [fault, value] of new URLSearchParams(faults)) url.searchParams.set(fault, value);
  return url;
}

/** The build of the writer that answers. */
export function askBuild(): Promise<Outcome<string>> {
  return settle(() => mustHaveTide().query('build', {}));
}

/** Asks the browser to keep what this origin stores. */
export function persist(): Promise<Outcome<boolean>> {
  return settle(() => mustHaveTide().persist());
}

export function readUnhandled(): readonly string[] {
  return unhandled;
}

export interface TestCallOptions {
  /** Keeps the writer busy for so long first: the call arrives behind that. */
  readonly behindMs?: number;
  readonly timeoutMs?: number;
  readonly abortAfterMs?: number;
}

/** A mutation of the ledger by its name, with one entry as input. */
export function mutate(
  name: 'append' | 'stallForEver' | 'die' | 'closeWorker',
  tab: string,
  n: number,
  { timeoutMs, abortAfterMs, behindMs }: TestCallOptions = {},
): Promise<Outcome<unknown>> {
  // Asked in the same tick, a read goes out before a write.
  if (behindMs !== undefined) void settle(() => mustHaveTide().query('spin', { ms: behindMs }));
  const controller = new AbortController();
  if (abortAfterMs !== undefined) setTimeout(() => controller.abort(), abortAfterMs);
  const options = { signal: controller.signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
  return settle(() => mustHaveTide().mutate(name, { tab, n }, options));
}

export function query(
  name: 'count' | 'stallForEver' | 'dieInQuery' | 'isIsolated',
  options: { readonly timeoutMs?: number } = {},
): Promise<Outcome<unknown>> {
  return settle(() => mustHaveTide().query(name, {}, options));
}

export function spin(ms: number): Promise<Outcome<unknown>> {
  return settle(() => mustHaveTide().query('spin', { ms }));
}

export function appendSlowly(
  tab: string,
  n: number,
  ms: number,
  timeoutMs: number,
): Promise<Outcome<unknown>> {
  return settle(() => mustHaveTide().mutate('appendSlowly', { tab, n, ms }, { timeoutMs }));
}

/** The writer loses its `nth` message of replies from now on, and dies of it. */
export function dieBeforeReply(nth: number): Promise<Outcome<unknown>> {
  return settle(() => mustHaveTide().query('dieBeforeReply', { nth }));
}

export function readEntries(): Promise<readonly { tab: string; n: number; workspace: string }[]> {
  return mustHaveTide().query('entries', {});
}

export function close(): void {
  tide?.close();
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

/** Resolves when a writer of this epoch or a later one serves this tab. */
export function waitForEpoch(epoch: number): Promise<number> {
  return new Promise((resolve) => {
    const check = ({ writer }: TideStatus): void => {
      if (writer !== null && writer.epoch >= epoch) resolve(writer.epoch);
    };
    mustHaveTide().on('status', check);
    check(mustHaveTide().status);
  });
}

// ── Calls of every kind ──

let isCalling = false;
let calling: Promise<void> | undefined;
const made: MadeCall[] = [];

interface MadeCall {
  readonly kind: string;
  readonly key: string;
  readonly outcome: Outcome<unknown>;
}

/**
 * Makes calls of every kind at once, one after the other of each kind, until `stopCalling`. With `busyMs` the writer
 * is kept busy for so long first, so that one call of each kind waits for it: what is told then is that they wait.
 */
export async function keepCalling(prefix: string, busyMs = 0): Promise<void> {
  const ledger: Ledger = { tide: mustHaveTide(), prefix };
  isCalling = true;
  const kinds = Object.entries(CALLS_OF_EVERY_KIND).filter(([, { blocks }]) => blocks !== true);
  await Promise.all(kinds.map(async ([kind, { prepare }]) => prepare?.(ledger, `${prefix}/${kind}/0`)));
  if (busyMs > 0) void settle(() => mustHaveTide().query('spin', { ms: busyMs }));
  const loops = kinds.map(async ([kind, { prepare, call }]) => {
    for (let index = 0; isCalling || index === 0; index++) {
      const key = `${prefix}/${kind}/${String(index)}`;
      const outcome = await settle(async () => {
        if (index > 0) await prepare?.(ledger, key);
        return call(ledger, key);
      });
      made.push({ kind, key, outcome });
    }
  });
  calling = Promise.all(loops).then(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 50)); // the messages are on their way
}

/** Lets the calls in flight end, and says what came of all of them. */
export async function stopCalling(): Promise<{
  readonly calls: Readonly<Record<string, number>>;
  readonly failures: readonly MadeCall[];
}> {
  isCalling = false;
  await calling;
  const calls: Record<string, number> = {};
  for (const { kind } of made) calls[kind] = (calls[kind] ?? 0) + 1;
  return { calls, failures: made.filter(({ outcome }) => !outcome.ok) };
}

/** What the calls that ended well should have left and did not, in words; empty when each has its effect once. */
export async function findWrongEffects(): Promise<readonly string[]> {
  const client = mustHaveTide();
  const wrong: string[] = [];
  const entries = await client.query('entries', {});
  const counts = new Map<string, number>();
  for (const { tab } of entries) counts.set(tab, (counts.get(tab) ?? 0) + 1);
  for (const { kind, key, outcome } of made) {
    const { leaves } = CALLS_OF_EVERY_KIND[kind] ?? {};
    if (!outcome.ok || leaves === undefined) continue;
    if (leaves === 'entry') {
      if (counts.get(key) !== 1) wrong.push(`${key}: ${String(counts.get(key) ?? 0)} entries`);
    } else {
      const state = (await client.permits.read(key))?.state;
      if (state !== leaves) wrong.push(`${key}: ${String(state)}, not ${leaves}`);
    }
  }
  return wrong;
}

/** Appends `from` to `to` (without it), not waiting for one before asking the next; resolves with what failed. */
export async function appendAll(
  tab: string,
  { from, to, longestGapMs }: { readonly from: number; readonly to: number; readonly longestGapMs: number },
): Promise<readonly Outcome<unknown>[]> {
  const asked: Promise<Outcome<unknown>>[] = [];
  for (let n = from; n < to; n++) {
    asked.push(mutate('append', tab, n));
    await new Promise((resolve) => setTimeout(resolve, Math.random() * longestGapMs));
  }
  return (await Promise.all(asked)).filter(({ ok }) => !ok);
}

// ── Many clients in one page ──

/** Connects and closes, one client after the other; each makes a call that its closing cuts off. */
export async function connectAndClose(name: string, times: number): Promise<readonly string[]> {
  const codes: string[] = [];
  for (let index = 0; index < times; index++) {
    const client = await connect<App>(makeOptions(name, {}));
    const pending = settle(() => client.query('count', {}));
    client.close();
    const outcome = await pending;
    codes.push(outcome.ok ? 'ok' : outcome.code);
  }
  return codes;
}

/** Closes a client that has ten calls of different kinds pending, and closes it again. */
export async function closeWithCallsPending(): Promise<readonly Outcome<unknown>[]> {
  const client = mustHaveTide();
  const ledger: Ledger = { tide: client, prefix: 'closing' };
  const busy = settle(() => client.query('spin', { ms: 1_000 }));
  const calls = Object.values(CALLS_OF_EVERY_KIND).map(({ call }, index) =>
    settle(() => call(ledger, `closing/${String(index)}`)),
  );
  await new Promise((resolve) => setTimeout(resolve, 50)); // the messages are on their way
  client.close();
  client.close();
  return Promise.all([busy, ...calls]);
}

// ── Permits ──

/** The first half of a local commit; `completeLocalCommit` is the other. */
export async function enterLocalCommit(permitId: string): Promise<Outcome<unknown>> {
  const { permits, status } = mustHaveTide();
  const scope = { permitId, workspaceId: 'w-1', coordinatorGeneration: status.generation };
  const deadlineAt = new Date(Date.now() + 600_000).toISOString();
  return settle(async () => {
    await permits.issue({ ...scope, operationClass: 'local-apply', deadlineAt });
    return permits.enterLocalCommit(scope);
  });
}

export function completeLocalCommit(permitId: string): Promise<Outcome<unknown>> {
  const { permits, status } = mustHaveTide();
  const scope = { permitId, workspaceId: 'w-1', coordinatorGeneration: status.generation };
  return settle(() => permits.completeLocalCommit(scope));
}

export function issuePermit(permitId: string, workspaceId = 'w-1'): Promise<Outcome<unknown>> {
  const { permits, status } = mustHaveTide();
  const deadlineAt = new Date(Date.now() + 600_000).toISOString();
  const { generation: coordinatorGeneration } = status;
  return settle(() =>
    permits.issue({ permitId, workspaceId, coordinatorGeneration, operationClass: 'pull', deadlineAt }),
  );
}

export async function readPermitState(permitId: string): Promise<string | null> {
  return (await mustHaveTide().permits.read(permitId))?.state ?? null;
}

/** What became of a call, by the id its error told. */
export function readOutcome(callId: string): Promise<Outcome<{ status: string; value?: unknown }>> {
  return settle(() => mustHaveTide().outcome(callId));
}

/** A call of this kind, whose `nth` answer is lost with the writer that was about to give it. */
export async function callAndLoseAnswer(kind: string, nth: number, key: string): Promise<Outcome<unknown>> {
  const ledger: Ledger = { tide: mustHaveTide(), prefix: 'lost' };
  const { prepare, call } = CALLS_OF_EVERY_KIND[kind] ?? {};
  if (call === undefined) throw new Error(`no kind of call is "${kind}"`);
  await prepare?.(ledger, key);
  await mustHaveTide().query('dieBeforeReply', { nth });
  const outcome = await settle(() => call(ledger, key));
  made.push({ kind, key, outcome });
  return outcome;
}

// ── Errors ──

export interface Provoked {
  readonly name: string;
  /** `ok`, or the code it failed with. */
  readonly code: string;
  /** Of a good call made in the same tick, and of one made afterwards. */
  readonly after: readonly string[];
}

/** Makes each call that can fail, one after the other, and sees after each whether good calls still end well. */
export async function provokeErrors(): Promise<readonly Provoked[]> {
  const client = mustHaveTide();
  const provoked: Provoked[] = [];
  for (const [name, call] of Object.entries(ERRORS)) {
    const n = provoked.length;
    const bad = settle(() => call(client));
    const beside = mutate('append', 'beside', n);
    const { ok, ...failure } = await bad;
    const code = ok ? 'ok' : (failure as { readonly code: string }).code;
    const after = [await beside, await mutate('append', 'after', n), await query('count')];
    provoked.push({ name, code, after: after.map((outcome) => (outcome.ok ? 'ok' : outcome.code)) });
  }
  return provoked;
}
