import type { Endpoint } from 'comlink';
import type { Channel, Platform } from '../platform/platform';

/** What travels on a session's channel: Comlink's message, addressed, because every listener hears everything. */
interface AddressedMessage {
  readonly from: string;
  readonly to: string;
  readonly message: unknown;
}

export interface ChannelAddress {
  readonly name: string;
  readonly self: string;
  readonly peer: string;
}

/**
 * A Comlink endpoint on a BroadcastChannel. Messages of another peer (an earlier writer's, a stranger's) are not
 * seen; transfers do not exist on such a channel, so nothing may be transferred. Owned by its maker, who closes it.
 */
export class ChannelEndpoint implements Endpoint {
  readonly #channel: Channel;
  readonly #address: ChannelAddress;
  readonly #listeners = new Set<EventListenerOrEventListenerObject>();
  readonly #accepts: (message: unknown) => boolean;

  constructor(
    platform: Platform,
    address: ChannelAddress,
    accepts: (message: unknown) => boolean = () => true,
  ) {
    this.#address = address;
    this.#accepts = accepts;
    this.#channel = platform.openChannel(address.name, (data) => this.#hear(data));
  }

  postMessage(message: unknown): void {
    const addressed: AddressedMessage = { from: this.#address.self, to: this.#address.peer, message };
    this.#channel.post(addressed);
  }

  addEventListener(type: string, listener: EventListenerOrEventListenerObject): void {
    if (type === 'message') this.#listeners.add(listener);
  }

  removeEventListener(_type: string, listener: EventListenerOrEventListenerObject): void {
    this.#listeners.delete(listener);
  }

  /** Idempotent. Nothing is sent or heard afterwards; calls still waiting are settled by the call layer. */
  close(): void {
    this.#listeners.clear();
    this.#channel.close();
  }

  #hear(data: unknown): void {
    if (!isAddressed(data) || data.to !== this.#address.self || data.from !== this.#address.peer) return;
    if (!this.#accepts(data.message)) return;
    const event = new MessageEvent('message', { data: data.message });
    for (const listener of [...this.#listeners]) {
      if (typeof listener === 'function') listener(event);
      else listener.handleEvent(event);
    }
  }
}

function isAddressed(data: unknown): data is AddressedMessage {
  return typeof data === 'object' && data !== null && 'from' in data && 'to' in data && 'message' in data;
}
