import { channelNames } from '../protocol/names';
import { PROTOCOL_VERSION } from '../protocol/limits';
import {
  DISCOVERY_FORMAT,
  parseDiscoveryMessage,
  type DiscoveryBody,
  type DiscoveryMessage,
} from '../protocol/discovery';

/** One end of a database's discovery channel. Owned by whoever made it, who calls `close` (idempotent). */
export class DiscoveryChannel {
  readonly #channel: BroadcastChannel;
  readonly #self: string;
  #isClosed = false;

  /** `self` is this end's id: a session id in a tab, a server instance id in a writer. */
  constructor(db: string, self: string, onMessage: (message: DiscoveryMessage) => void) {
    this.#self = self;
    this.#channel = new BroadcastChannel(channelNames.discovery(db));
    this.#channel.onmessage = ({ data }: MessageEvent<unknown>): void => {
      const message = parseDiscoveryMessage(data);
      if (message !== undefined && (message.to === null || message.to === self)) onMessage(message);
    };
  }

  send(to: string | null, body: DiscoveryBody): void {
    if (this.#isClosed) return;
    const message: DiscoveryMessage = {
      tidelock: DISCOVERY_FORMAT,
      protocol: PROTOCOL_VERSION,
      from: this.#self,
      to,
      body,
    };
    this.#channel.postMessage(message);
  }

  close(): void {
    this.#isClosed = true;
    this.#channel.onmessage = null;
    this.#channel.close();
  }
}
