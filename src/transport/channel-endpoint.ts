import type { Endpoint } from 'comlink';

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
  readonly #channel: BroadcastChannel;
  readonly #address: ChannelAddress;
  readonly #listeners = new Map<EventListenerOrEventListenerObject, (event: MessageEvent<unknown>) => void>();
  readonly #accepts: (message: unknown) => boolean;
  #isClosed = false;

  constructor(address: ChannelAddress, accepts: (message: unknown) => boolean = () => true) {
    this.#address = address;
    this.#accepts = accepts;
    this.#channel = new BroadcastChannel(address.name);
  }

  postMessage(message: unknown): void {
    if (this.#isClosed) return;
    const addressed: AddressedMessage = { from: this.#address.self, to: this.#address.peer, message };
    this.#channel.postMessage(addressed);
  }

  addEventListener(type: string, listener: EventListenerOrEventListenerObject): void {
    if (type !== 'message') return;
    const forward = ({ data }: MessageEvent<unknown>): void => {
      if (!isAddressed(data) || data.to !== this.#address.self || data.from !== this.#address.peer) return;
      if (!this.#accepts(data.message)) return;
      const event = new MessageEvent('message', { data: data.message });
      if (typeof listener === 'function') listener(event);
      else listener.handleEvent(event);
    };
    this.#listeners.set(listener, forward);
    this.#channel.addEventListener('message', forward);
  }

  removeEventListener(_type: string, listener: EventListenerOrEventListenerObject): void {
    const forward = this.#listeners.get(listener);
    if (forward === undefined) return;
    this.#channel.removeEventListener('message', forward);
    this.#listeners.delete(listener);
  }

  /** Idempotent. Nothing is sent or heard afterwards; calls still waiting are settled by the call layer. */
  close(): void {
    this.#isClosed = true;
    this.#listeners.clear();
    this.#channel.close();
  }
}

function isAddressed(data: unknown): data is AddressedMessage {
  return typeof data === 'object' && data !== null && 'from' in data && 'to' in data && 'message' in data;
}
