/**
 * Notices a worker that is stuck in one call: asked each second, it has said nothing for ten.
 *
 * Time alone does not tell, because a page sleeps with its laptop and hidden pages get few ticks: the silence must also
 * have outlasted some ticks of this page, in which an answer would have been heard.
 */
import type { Platform } from '../platform/platform';

const TICK_MS = 1_000;
/** Longer than any call should run: it keeps every tab waiting. */
export const STUCK_AFTER_MS = 10_000;
const STUCK_TICKS = 3;

export interface WorkerPulseOptions {
  readonly platform: Platform;
  readonly ping: () => void;
  /** Called once. */
  readonly onStuck: () => void;
}

export class WorkerPulse {
  readonly #options: WorkerPulseOptions;
  readonly #stopTicking: () => void;
  #heardAtMs: number;
  #quietTicks = 0;

  /** Ticks from now on, until `stop`. */
  constructor(options: WorkerPulseOptions) {
    this.#options = options;
    this.#heardAtMs = options.platform.monotonicMs();
    this.#stopTicking = options.platform.every(TICK_MS, () => this.#tick());
  }

  hear(): void {
    this.#heardAtMs = this.#options.platform.monotonicMs();
    this.#quietTicks = 0;
  }

  /** Idempotent. */
  stop(): void {
    this.#stopTicking();
  }

  #tick(): void {
    const { platform, ping, onStuck } = this.#options;
    this.#quietTicks += 1;
    const quietMs = platform.monotonicMs() - this.#heardAtMs;
    if (quietMs >= STUCK_AFTER_MS && this.#quietTicks > STUCK_TICKS) {
      this.stop();
      onStuck();
    } else ping();
  }
}
