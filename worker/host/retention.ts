/**
 * Forgets what is past its time: receipts, commands, permits, obligations. Never on a caller's path: each slice is a
 * job of its own among the tabs' calls, small enough that nobody notices it, and a full slice is soon followed up.
 */
import type { Platform } from '../../src/platform/platform';
import type { WriterContext } from '../gateway/call-context';

/** Rows of each kind a slice deletes at the most: a few milliseconds' work. */
const SLICE_ROWS = 250;
/** Between slices while there is more to delete: a busy app's hour is forgotten within minutes. */
const NEXT_SLICE_MS = 1_000;
/** Between looks while there is nothing: rows are kept for days, so a minute matters to nobody. */
const REST_MS = 60_000;

export interface RetentionOptions {
  readonly platform: Pick<Platform, 'after'>;
  readonly context: Pick<WriterContext, 'stores' | 'receipts' | 'marks'>;
  /** Runs the work as a job; resolves once it is committed, with what it returned. */
  readonly run: (work: () => boolean) => Promise<boolean>;
}

export class Retention {
  readonly #options: RetentionOptions;
  #stopTimer: (() => void) | undefined;
  #isStopped = false;

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#plan(REST_MS);
  }

  /** Idempotent. */
  stop(): void {
    this.#isStopped = true;
    this.#stopTimer?.();
  }

  #plan(delayMs: number): void {
    if (this.#isStopped) return;
    this.#stopTimer = this.#options.platform.after(delayMs, () => {
      // A slice that fails (a full disk) is tried again after a rest; whoever ran it has told the error.
      this.#options
        .run(() => this.#deleteSlice())
        .then(
          (isFull) => this.#plan(isFull ? NEXT_SLICE_MS : REST_MS),
          () => this.#plan(REST_MS),
        );
    });
  }

  /** Whether one kind filled the slice, so that more of it may be due. */
  #deleteSlice(): boolean {
    const { stores, receipts, marks } = this.#options.context;
    const history = stores.permits.pruneTerminalHistory(SLICE_ROWS);
    const deleted = [
      history.permits,
      history.obligations,
      stores.coordinator.pruneTerminalCommands(),
      receipts.prune(SLICE_ROWS),
      marks.prune(),
    ];
    return deleted.some((count) => count >= SLICE_ROWS);
  }
}
