import type { WireError } from './error-codec';
import type { CallName } from './surface';

/** One call on its way to the writer. Up to `MAX_CALLS_PER_MESSAGE` of them share a message. */
export interface CallEnvelope {
  /** Made by the tab's call layer; the same on every repeat. */
  readonly callId: string;
  readonly call: CallName;
  readonly input: unknown;
  /** Epoch milliseconds; the writer drops the call once it has passed. Both ends share one machine's clock. */
  readonly deadlineAt: number;
  /** 1 for the first sending; more when an earlier writer died before it answered. */
  readonly attempt: number;
}

export type CallReply =
  | { readonly callId: string; readonly ok: true; readonly value: unknown }
  | { readonly callId: string; readonly ok: false; readonly error: WireError };

/** The one object that Comlink exposes on a session's channel. */
export interface WriterPort {
  invoke(envelopes: readonly CallEnvelope[]): Promise<CallReply[]>;
}
