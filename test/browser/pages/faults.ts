/**
 * What goes wrong in a worker of the tests, asked for in the query of its script's URL. Imported before the library,
 * so that it is in place when the library runs.
 *
 *   ?late=3000                 the script runs so many milliseconds late
 *   ?noWasm                    the WASM was not deployed
 *   ?throw                     it throws at its top level
 *   ?handles=InvalidStateError:2   the first two openings of a pool file fail with a DOMException of this name
 *   ?blocked=SecurityError     the browser refuses OPFS with a DOMException of this name
 *   ?noIndexedDb               and IndexedDB too
 *   ?stall=migrating           it stops for ever once it told this stage (any after `waiting`: it holds the writer lock)
 *   ?protocol=99              it says that it speaks this protocol
 */
const query = new URLSearchParams(location.search);

const lateMs = Number(query.get('late') ?? 0);
if (lateMs > 0) await new Promise((resolve) => setTimeout(resolve, lateMs));

if (query.has('throw')) throw new Error('at top level');

if (query.has('noWasm')) {
  // Whichever way it is asked for, another file is, and there is none.
  const divert = (url: string): string =>
    url.includes('.wasm') ? new URL('/test/not-deployed.wasm', location.origin).href : url;
  const { fetch } = globalThis;
  globalThis.fetch = (input, init) =>
    fetch(divert(String(input instanceof Request ? input.url : input)), init);
  const { open } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function openDiverted(
    this: XMLHttpRequest,
    method: string,
    url: string | URL,
    isAsync?: boolean,
  ): void {
    open.call(this, method, divert(String(url)), isAsync !== false);
  };
}

const [handleError = '', count = '1'] = (query.get('handles') ?? '').split(':');
let handleFaultsLeft = handleError === '' ? 0 : Number(count);
if (handleFaultsLeft > 0) {
  // Only where it is asked for: a browser without file handles runs the tests in memory.
  const { createSyncAccessHandle } = FileSystemFileHandle.prototype;
  FileSystemFileHandle.prototype.createSyncAccessHandle = function createFaulty(this: FileSystemFileHandle) {
    // The probe file that sqlite-wasm opens before it makes its pool is spared.
    if (handleFaultsLeft > 0 && !this.name.startsWith('.opfs-sahpool-sync-check')) {
      handleFaultsLeft -= 1;
      return Promise.reject(new DOMException('injected', handleError));
    }
    return createSyncAccessHandle.call(this);
  };
}

const blocked = query.get('blocked');
if (blocked !== null) {
  StorageManager.prototype.getDirectory = () => Promise.reject(new DOMException('injected', blocked));
}

if (query.has('noIndexedDb')) {
  IDBFactory.prototype.open = () => {
    throw new DOMException('injected', 'SecurityError');
  };
}

const stallStage = query.get('stall');
const { postMessage: postToTab } = globalThis;
const protocol = query.get('protocol');
globalThis.postMessage = (message: unknown): void => {
  const isHello = isObject(message) && message['tidelock'] === 'loaded';
  postToTab(isHello && protocol !== null ? { tidelock: 'loaded', protocol: Number(protocol) } : message);
  if (stallStage !== null && isObject(message) && message['stage'] === stallStage) stall();
};

/** Never ends, and gives nobody else a turn. */
export function stall(): never {
  for (;;);
}

/** Replies to come until the one that is lost, and this worker with it; undefined: none is. */
let repliesToDeath: number | undefined;
let isDead = false;
const { postMessage } = BroadcastChannel.prototype;
BroadcastChannel.prototype.postMessage = function postUnlessDead(
  this: BroadcastChannel,
  message: unknown,
): void {
  if (isDead) return;
  const isReply = this.name.includes('/session/');
  if (isReply && repliesToDeath !== undefined) {
    repliesToDeath -= 1;
    if (repliesToDeath === 0) die();
  }
  if (!isDead) postMessage.call(this, message);
};

/** The worker does what it is asked, and dies in place of telling so: with its `nth` message of replies from now on. */
export function dieBeforeReply(nth: number): void {
  repliesToDeath = nth;
}

/** This worker says nothing any more and ends after the present task, as when its process crashes. */
export function die(): void {
  isDead = true;
  close();
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
