import { wrap, type Remote } from 'comlink';
import type { Platform } from '../platform/platform';
import type { CallEnvelope, CallReply, WriterPort } from '../protocol/call';
import type { WriterIdentity } from '../protocol/discovery';
import { channelNames } from '../protocol/names';
import { ChannelEndpoint } from './channel-endpoint';

/** The tab's end of its line to one writer. Made on a welcome, closed when another writer welcomes it or on close. */
export class WriterLink {
  readonly writer: WriterIdentity;
  readonly #endpoint: ChannelEndpoint;
  /** Comlink drops calls in flight when a proxy is collected, so it is kept for as long as the link. */
  readonly #port: Remote<WriterPort>;

  constructor(
    platform: Platform,
    {
      db,
      sessionId,
      writer,
    }: { readonly db: string; readonly sessionId: string; readonly writer: WriterIdentity },
  ) {
    this.writer = writer;
    this.#endpoint = new ChannelEndpoint(platform, {
      name: channelNames.session(db, sessionId),
      self: sessionId,
      peer: writer.serverInstanceId,
    });
    this.#port = wrap<WriterPort>(this.#endpoint);
  }

  /** May never settle: the writer can die at any moment. The call layer owns the waiting. */
  async invoke(envelopes: readonly CallEnvelope[]): Promise<CallReply[]> {
    return await this.#port.invoke(envelopes);
  }

  close(): void {
    this.#endpoint.close();
  }
}
