/** A page that connects more than once, as one under hot reload or with a component mounted twice does. */
import { connect, type TideOf } from 'tidelock';
import type { App } from './ledger.worker';
// oxlint-disable-next-line import/default -- Vite answers with the address of the script
import ledgerWorkerUrl from './ledger.worker?worker&url';
import { settle, type Outcome } from './settle';

const clients = new Map<string, TideOf<App>>();
/** Rejections that nobody handled, in this page. */
const unhandled: string[] = [];
addEventListener('unhandledrejection', ({ reason }) => unhandled.push(String(reason)));

let workersMade = 0;

function join(name: string, signal?: AbortSignal): Promise<TideOf<App>> {
  const url = new URL(ledgerWorkerUrl, location.href);
  const worker = (): Worker => {
    workersMade += 1;
    return new Worker(url, { type: 'module' });
  };
  return connect<App>({ name, worker, ...(signal === undefined ? {} : { signal }) });
}

/** Connects a client that tests call by its label. */
export function connectAs(label: string, name: string): Promise<Outcome<string>> {
  return settle(async () => {
    const tide = await join(name);
    clients.set(label, tide);
    await tide.workspaces.open('w-1', { userId: 'u-1', tenantId: 't-1' });
    return tide.status.sessionId;
  });
}

export function append(label: string, n: number): Promise<Outcome<unknown>> {
  return settle(() => mustGet(label).mutate('append', { tab: label, n }));
}

export function count(label: string): Promise<Outcome<number>> {
  return settle(() => mustGet(label).query('count', {}));
}

export function waitToWrite(label: string): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (mustGet(label).status.role === 'writer') resolve();
    };
    mustGet(label).on('status', check);
    check();
  });
}

export function close(label: string): void {
  mustGet(label).close();
}

/**
 * A component as the README has it. Under React's StrictMode each is mounted, unmounted and mounted again before anything
 * it waits for has come.
 */
function mount(name: string, show: (tide: TideOf<App>) => void): () => void {
  const leaving = new AbortController();
  const joining = join(name, leaving.signal);
  joining.then(show, () => undefined);
  return () => {
    leaving.abort();
    joining.then(
      (tide) => tide.close(),
      () => undefined,
    );
  };
}

/** Mounts so often, unmounting each but the last after a pause; resolves with how many clients were shown. */
export async function mountAgainAndAgain(label: string, name: string, pausesMs: number[]): Promise<number> {
  let shown = 0;
  for (const pauseMs of pausesMs) {
    const unmount = mount(name, () => (shown += 1));
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    unmount();
  }
  await new Promise<void>((resolve) => {
    mount(name, (tide) => {
      shown += 1;
      clients.set(label, tide);
      resolve();
    });
  });
  await mustGet(label).workspaces.open('w-1', { userId: 'u-1', tenantId: 't-1' });
  return shown;
}

export function readUnhandled(): readonly string[] {
  return unhandled;
}

export function countWorkersMade(): number {
  return workersMade;
}

function mustGet(label: string): TideOf<App> {
  const tide = clients.get(label);
  if (tide === undefined) throw new Error(`no client is called "${label}"`);
  return tide;
}
