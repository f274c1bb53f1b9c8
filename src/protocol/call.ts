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
  /** 1 for the first sending; more where the line to the writer was lost before it answered. */
  readonly attempt: number;
  /** How many writers died, without a goodbye, while they had this call: with one, it may be what killed it. */
  readonly deaths: number;
  /** The epoch of the last of them; null where none died. */
  readonly diedEpoch: number | null;
}

export type CallReply =
  | { readonly callId: string; readonly ok: true; readonly value: unknown }
  | { readonly callId: string; readonly ok: false; readonly error: WireError };

/** What became of a call that left a receipt, as far as the writer can tell. */
export type CallOutcome =
  /** It took effect, and this was its answer. */
  | { readonly status: 'done'; readonly value: unknown }
  /** The writer still has it. */
  | { readonly status: 'pending' }
  /** It took no effect, and never will. */
  | { readonly status: 'not-executed' }
  /** The id is of a call that leaves no receipt, or is so old that its receipt may have been pruned. */
  | { readonly status: 'unknown' };

/** The one object that Comlink exposes on a session's channel. */
export interface WriterPort {
  invoke(envelopes: readonly CallEnvelope[]): Promise<CallReply[]>;
}
