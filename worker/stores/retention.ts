import { toInstant } from '../../src/domain/instant';

const DAY_MS = 86_400_000;
/** How long finished rows are kept at least, so that a late repeat within it still gets its answer. */
const RETENTION_DAYS = 7;
/** So many of the newest finished rows of each kind are kept however old they are: what happened last stays visible. */
export const KEPT_NEWEST = 1_000;

/** Finished rows from before this instant may be pruned. */
export function toRetentionLimit(nowMs: number): string {
  return toInstant(nowMs - RETENTION_DAYS * DAY_MS);
}

/** When to run retention by the way: asked at each call, it says yes once an interval, the first one after a rest. */
export class RetentionPace {
  readonly #intervalMs: number;
  #lastMs: number;

  constructor({ nowMs, intervalMs }: { readonly nowMs: number; readonly intervalMs: number }) {
    this.#intervalMs = intervalMs;
    this.#lastMs = nowMs;
  }

  isDue(nowMs: number): boolean {
    // A clock that was set back must not put retention off for ever.
    if (nowMs >= this.#lastMs && nowMs < this.#lastMs + this.#intervalMs) return false;
    this.#lastMs = nowMs;
    return true;
  }
}
