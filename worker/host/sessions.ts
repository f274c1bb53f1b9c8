/**
 * The tabs this writer knows: a line to each that said hello, and a watch on each one's lock, so that its death is
 * learned from the browser and not from a timeout.
 *
 *   hello → line + watch → (lock free) → line closed, onGone
 *   adopt → watch alone, for a tab whose permits were taken over before it said hello
 */
import { waitUntilFree } from '../../src/election/locks';
import type { Platform } from '../../src/platform/platform';
import { lockNames } from '../../src/protocol/names';
import type { ChannelEndpoint } from '../../src/transport/channel-endpoint';
import { exposeWriterPort } from '../../src/transport/expose-writer-port';
import type { SessionPort } from '../gateway/session-port';

export interface SessionsOptions {
  readonly platform: Platform;
  readonly db: string;
  readonly serverInstanceId: string;
  readonly makePort: (sessionId: string) => SessionPort;
  /** The tab is gone for good; its permits are nobody's now. */
  readonly onGone: (sessionId: string) => void;
}

interface Line {
  readonly port: SessionPort;
  readonly endpoint: ChannelEndpoint;
}

export class Sessions {
  readonly #options: SessionsOptions;
  readonly #lines = new Map<string, Line>();
  readonly #watches = new Map<string, AbortController>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** Serves the tab from now on; again for one that is served already changes nothing. */
  serve(sessionId: string): void {
    if (!this.#lines.has(sessionId)) {
      const { platform, db, serverInstanceId, makePort } = this.#options;
      const address = { db, sessionId, serverInstanceId };
      const port = makePort(sessionId);
      this.#lines.set(sessionId, { port, endpoint: exposeWriterPort(platform, address, port) });
    }
    this.watch(sessionId);
  }

  watch(sessionId: string): void {
    if (this.#watches.has(sessionId)) return;
    const watch = new AbortController();
    this.#watches.set(sessionId, watch);
    const { platform, db } = this.#options;
    waitUntilFree(platform.locks, lockNames.session(db, sessionId), watch.signal).then(
      () => this.#bury(sessionId),
      () => undefined, // close() ended the watch
    );
  }

  /** Idempotent. */
  close(): void {
    for (const watch of this.#watches.values()) watch.abort();
    for (const { endpoint } of this.#lines.values()) endpoint.close();
    this.#watches.clear();
    this.#lines.clear();
  }

  #bury(sessionId: string): void {
    if (!this.#watches.delete(sessionId)) return;
    const line = this.#lines.get(sessionId);
    line?.endpoint.close();
    line?.port.end();
    this.#lines.delete(sessionId);
    this.#options.onGone(sessionId);
  }
}
