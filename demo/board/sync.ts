/**
 * Keeps the board and the sync server together: sends what the outbox holds, then fetches what is new. Runs when asked
 * and every `INTERVAL_MS`; one run at a time in a tab, and the library sees to it that tabs do not double each other.
 */
import type { TideOf } from 'tidelock';
import type { App } from '../worker/tasks.worker';
import type { Upstream } from './upstream';

export type BoardTide = TideOf<App>;

const INTERVAL_MS = 1_500;
const REQUEST_TIMEOUT_MS = 5_000;

export class BoardSync {
  readonly #tide: BoardTide;
  readonly #upstream: Upstream;
  readonly #onEvent: (text: string) => void;
  #running: Promise<void> | undefined;
  #isAskedAgain = false;

  constructor(tide: BoardTide, upstream: Upstream, onEvent: (text: string) => void) {
    this.#tide = tide;
    this.#upstream = upstream;
    this.#onEvent = onEvent;
    setInterval(() => void this.run(), INTERVAL_MS);
  }

  /** Never rejects: what goes wrong is told to `onEvent` and tried again at the next turn. */
  run(): Promise<void> {
    if (this.#running !== undefined) {
      this.#isAskedAgain = true;
      return this.#running;
    }
    this.#running = this.#runOnce().finally(() => {
      this.#running = undefined;
      if (!this.#isAskedAgain) return;
      this.#isAskedAgain = false;
      void this.run();
    });
    return this.#running;
  }

  async #runOnce(): Promise<void> {
    try {
      await this.#push();
      await this.#pull();
    } catch (error) {
      this.#onEvent(error instanceof Error ? `sync: ${error.message}` : 'sync failed');
    }
  }

  async #push(): Promise<void> {
    for (;;) {
      const operations = await this.#tide.query('sendable', {});
      if (operations.length === 0) return;
      const { results, error } = await this.#tide.gateway.push({
        operations,
        timeoutMs: REQUEST_TIMEOUT_MS,
        apply: 'tasks',
        request: ({ operations: granted, signal }) => this.#upstream.push(granted, signal),
      });
      if (error instanceof Error)
        this.#onEvent(`push: outcome unknown (${error.message}); it will be sent again`);
      for (const { identity, outcome, reason } of results) {
        if (outcome !== 'rejected') continue;
        this.#onEvent(`push: refused (${reason ?? 'no reason given'})`);
        await this.#tide.mutate('markRejected', { identity, reason: reason ?? 'refused' });
      }
      if (!results.some(({ outcome }) => outcome === 'accepted')) return; // the rest waits for the next turn
    }
  }

  async #pull(): Promise<void> {
    let hasMore = true;
    while (hasMore) {
      hasMore = false;
      const result = await this.#tide.gateway.pull({
        timeoutMs: REQUEST_TIMEOUT_MS,
        apply: 'tasks',
        request: async ({ cursor, signal }) => {
          const answer = await this.#upstream.pull(cursor, signal);
          hasMore = answer.more;
          return answer;
        },
      });
      if (result.outcome === 'rejected')
        this.#onEvent(`pull: refused (${result.reason ?? 'no reason given'})`);
      if (result.outcome === 'unknown') this.#onEvent('pull: no answer; it will be asked again');
      if (result.outcome !== 'applied') return;
    }
  }
}
