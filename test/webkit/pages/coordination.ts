/** The ledger's page with what the tests in WebKit do beside it. */
import { connect } from 'tidelock';
import { mustHaveTide } from '../../browser/pages/ledger';
import { settle, type Outcome } from '../../browser/pages/settle';
import { PROTOCOL_VERSION } from '../../../src/protocol/limits';
import { DISCOVERY_FORMAT } from '../../../src/protocol/discovery';
import { channelNames, lockNames, toMeetingName } from '../../../src/protocol/names';

export * from '../../browser/pages/ledger';

let changes: number[] = [];
/** From now on; see `readChanges`. */
export function recordChanges(): void {
  changes = [];
  mustHaveTide().on('change', ({ localDataVersion }) => changes.push(localDataVersion));
}
export function readChanges(): readonly number[] {
  return changes;
}

export function handOver(): Promise<Outcome<unknown>> {
  return settle(() => mustHaveTide().handOver());
}

/** Connects with a worker whose script is this text. */
export function joinWithScript(
  name: string,
  script: string,
  options: { readonly startTimeoutMs?: number } = {},
): Promise<Outcome<unknown>> {
  const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  const worker = (): Worker => new Worker(url, { type: 'module' });
  return settle(() => connect({ name, storage: 'memory', worker, ...options }));
}

/** Connects with a worker file of another protocol than this page's. */
export function joinWithOtherProtocol(name: string): Promise<Outcome<unknown>> {
  const report = { tidelock: 'loaded', protocol: PROTOCOL_VERSION + 1 };
  return joinWithScript(name, `postMessage(${JSON.stringify(report)}); onmessage = () => undefined;`);
}

/** Greets the writer of a database in memory as a build of another protocol, and resolves with the answer's body. */
export function greetAsOther(name: string): Promise<unknown> {
  const self = crypto.randomUUID();
  const channel = new BroadcastChannel(channelNames.discovery(toMeetingName(name, 'memory')));
  return new Promise((resolve) => {
    channel.onmessage = ({ data }: MessageEvent<{ readonly to: string | null; readonly body: unknown }>) => {
      if (data.to !== self) return;
      channel.close();
      resolve(data.body);
    };
    const protocol = PROTOCOL_VERSION + 1;
    channel.postMessage({
      tidelock: DISCOVERY_FORMAT,
      protocol,
      from: self,
      to: null,
      body: { kind: 'hello' },
    });
  });
}

let releasePlace: (() => void) | undefined;
/** Waits in line for the writer's place, as a worker does, and keeps it until `leavePlace`: meanwhile nobody writes. */
export function takePlace(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(lockNames.writer(toMeetingName(name, 'memory')), () => {
        resolve();
        return new Promise<void>((release) => (releasePlace = release));
      })
      .catch(reject);
  });
}
export function leavePlace(): void {
  releasePlace?.();
}

/** The names of this origin's locks that somebody holds or waits for. */
export async function listLocks(): Promise<readonly string[]> {
  const { held = [], pending = [] } = await navigator.locks.query();
  return [...held, ...pending].flatMap(({ name }) => name ?? []);
}
