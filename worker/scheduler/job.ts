/** How a job ended. */
export type JobOutcome =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown };

export interface Job {
  /** A read runs outside any transaction on committed state; a write shares one with its neighbours. */
  readonly kind: 'read' | 'write';
  /** Epoch milliseconds after which the job must not start any more; null: never too late. */
  readonly deadlineAt: number | null;
  /** A write that shares no transaction with others. Default false. */
  readonly isAlone?: boolean;
  /** Synchronous, and safe to run twice: what it wrote the first time is undone before the second. */
  readonly work: () => unknown;
  /** Called exactly once, never inside `submit` or a transaction. A throw is reported, not obeyed. */
  readonly settle: (outcome: JobOutcome) => void;
}

export interface JobHandle {
  /**
   * True where the job had taken no effect: it settles with ABORTED and never will. False where it is too late.
   */
  cancel(): boolean;
}
