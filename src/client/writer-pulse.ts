/**
 * Notices a writer that keeps its place and says nothing: suspended with its page, or stuck in one call.
 *
 *   call sent → tick, nothing heard: ping → tick, nothing heard → silent → anything heard → well
 *
 * Ticks while calls wait, and while the writer is silent, to notice when it speaks again. A tick that comes late does
 * not count: the page slept or was busy, and the answer may be waiting to be read.
 */
import type { Platform } from '../platform/platform';

const TICK_MS = 1_000;
const LATE_AFTER_MS = 2 * TICK_MS;
/** So many ticks without a word, and the writer counts as silent. */
const SILENT_TICKS = 2;

export interface WriterPulseOptions {
  readonly platform: Platform;
  /** Whether calls wait for this writer. */
  readonly isWaiting: () => boolean;
  readonly ping: () => void;
  readonly onChange: (isSilent: boolean) => void;
}

export class WriterPulse {
  readonly #options: WriterPulseOptions;
  #quietTicks = 0;
  #tickedAtMs = 0;
  #stopTicking: (() => void) | undefined;

  constructor(options: WriterPulseOptions) {
    this.#options = options;
  }

  get isSilent(): boolean {
    return this.#quietTicks >= SILENT_TICKS;
  }

  /** A call went out. */
  watch(): void {
    if (this.#stopTicking !== undefined) return;
    const { platform } = this.#options;
    this.#tickedAtMs = platform.monotonicMs();
    this.#stopTicking = platform.every(TICK_MS, () => this.#tick());
  }

  /** The writer said something, or there is another one. */
  hear(): void {
    const wasSilent = this.isSilent;
    this.#quietTicks = 0;
    if (wasSilent) this.#options.onChange(false);
  }

  /** Idempotent. */
  stop(): void {
    this.#stopTicking?.();
    this.#stopTicking = undefined;
    this.#quietTicks = 0;
  }

  #tick(): void {
    const now = this.#options.platform.monotonicMs();
    const isLate = now - this.#tickedAtMs > LATE_AFTER_MS;
    this.#tickedAtMs = now;
    if (!this.#options.isWaiting() && !this.isSilent) {
      this.stop();
      return;
    }
    if (!isLate) {
      this.#quietTicks += 1;
      if (this.#quietTicks === SILENT_TICKS) this.#options.onChange(true);
    }
    this.#options.ping();
  }
}
