import type { Channel, Platform } from '../platform/platform';
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
  readonly #channel: Channel;
  readonly #self: string;

  /** `self` is this end's id: a session id in a tab, a server instance id in a writer. */
  constructor(
    platform: Platform,
    { db, self }: { readonly db: string; readonly self: string },
    onMessage: (message: DiscoveryMessage) => void,
  ) {
    this.#self = self;
    this.#channel = platform.openChannel(channelNames.discovery(db), (data) => {
      const message = parseDiscoveryMessage(data);
      if (message !== undefined && (message.to === null || message.to === self)) onMessage(message);
    });
  }

  send(to: string | null, body: DiscoveryBody): void {
    const message: DiscoveryMessage = {
      tidelock: DISCOVERY_FORMAT,
      protocol: PROTOCOL_VERSION,
      from: this.#self,
      to,
      body,
    };
    this.#channel.post(message);
  }

  close(): void {
    this.#channel.close();
  }
}
