/**
 * What one observer saw of all tabs, in the order it saw it. Plain data, so that it crosses every border between a page
 * and whoever records.
 *
 * Order is what the rules stand on: note an `invoke` before the call is made and its end after it was known. Then what
 * ended before another call began, here, did so in truth.
 */
export type HistoryEvent =
  | ({ readonly kind: 'invoke'; readonly call: CallNote } & CallRef)
  | ({ readonly kind: 'ok'; readonly value: AnswerNote } & CallRef)
  /** Known not to have taken effect. */
  | ({ readonly kind: 'fail'; readonly error: ErrorNote } & CallRef)
  /** Ended without the caller learning whether it took effect. */
  | ({ readonly kind: 'unknown'; readonly error: ErrorNote } & CallRef)
  | ({ readonly kind: 'saw'; readonly what: Sight } & TabRef)
  /** The page is no more; what it left open need not end. */
  | ({ readonly kind: 'gone'; readonly how: string } & TabRef);

interface TabRef {
  /** One page's life: a reloaded page is another tab. */
  readonly tab: string;
  /** Milliseconds on one clock for all tabs; left out where there is none. */
  readonly at?: number;
}

interface CallRef extends TabRef {
  /** Unique over all tabs. */
  readonly callId: string;
}

export type EndEvent = Extract<HistoryEvent, { readonly kind: 'ok' | 'fail' | 'unknown' }>;
export type InvokeEvent = Extract<HistoryEvent, { readonly kind: 'invoke' }>;

/** What was asked, as far as a rule looks at it. */
export interface CallNote {
  readonly name: string;
  /** The row that this mutation inserts. */
  readonly row?: RowNote;
  /** The operation identities of a push. */
  readonly operations?: readonly string[];
  /** An acceptance of these operations applies nothing here. */
  readonly hasNoEcho?: boolean;
  /** Codes with which this very call may fail, beside those that any call may. */
  readonly mayFail?: readonly string[];
  /** Longest time to its end, on the clock of `at`. */
  readonly boundMs?: number;
}

export interface RowNote {
  readonly id: string;
  /** Asks for one row after the other, the next when the last call ended. */
  readonly caller: string;
  readonly sequence: number;
}

/** What was answered, as far as a rule looks at it. */
export interface AnswerNote {
  /** The ids of all rows, as a query saw them. */
  readonly rows?: readonly string[];
  /** What a push told of each operation. */
  readonly operations?: readonly { readonly identity: string; readonly outcome: string }[];
}

export interface ErrorNote {
  readonly code: string;
  readonly message: string;
  /** `details.outcome` of the error, where it has one. */
  readonly outcome?: string | null;
}

/** What a tab noticed by itself. */
export interface Sight {
  readonly dataVersion?: number;
  readonly writer?: { readonly epoch: number; readonly serverInstanceId: string };
  readonly command?: { readonly commandId: string; readonly status: string };
}
