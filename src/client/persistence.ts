/**
 * The browser's promise to keep what this origin stores, where it may otherwise clear it to make room. It belongs to
 * the origin, not to one database, and only a page can ask for it.
 *
 *   start → look → (the user comes back to the page) look → … → persist, when the app says so → stop
 *
 * Rules: looking asks the user nothing; asking may (Firefox shows a prompt), so the library never asks by itself. That
 * the browser refuses is an answer and no error. What is known is in `status.persisted`; another tab's luck is seen at
 * the next look.
 */
import { LIBRARY_CODES } from '../domain/error-codes';
import { isTidelockError, TidelockError } from '../domain/tidelock-error';
import type { TabPlatform } from '../platform/platform';
import { assertSignal, readTimeoutMs, type CallOptions } from './call-options';
import type { SessionEnd } from './gateway/bounds';
import { runRequest } from './gateway/run-request';
import type { StatusBoard } from './status';

export class Persistence {
  readonly #platform: TabPlatform;
  readonly #board: StatusBoard;
  readonly #stopped = new AbortController();

  constructor(platform: TabPlatform, board: StatusBoard) {
    this.#platform = platform;
    this.#board = board;
  }

  /** Called once. */
  start(): void {
    const { page } = this.#platform;
    page.addEventListener('visibilitychange', () => this.#look(), { signal: this.#stopped.signal });
    this.#look();
  }

  /** Idempotent. */
  stop(): void {
    this.#stopped.abort();
  }

  /**
   * Whether the browser grants it; one that cannot be asked does not. An answer that comes after the wait has ended is
   * in the status all the same.
   */
  async persist(session: SessionEnd, { signal, timeoutMs }: CallOptions = {}): Promise<boolean> {
    assertSignal(signal);
    const bounds = { platform: this.#platform, timeoutMs: readTimeoutMs(timeoutMs), signal, session };
    const end = await runRequest(() => {
      const asked = this.#platform.storage?.persist?.() ?? Promise.resolve(false);
      this.#learn(asked);
      return asked;
    }, bounds);
    if (end.kind === 'answered') return end.answer;
    throw isTidelockError(end.error) ? end.error : blocked(end.error);
  }

  #look(): void {
    const answer = this.#platform.storage?.persisted?.();
    if (answer !== undefined) this.#learn(answer);
  }

  /** What cannot be learned stays as it was. */
  #learn(answer: Promise<boolean>): void {
    answer.then(
      (persisted) => {
        if (this.#stopped.signal.aborted || this.#board.current.persisted === persisted) return;
        this.#board.update({ persisted });
      },
      () => undefined,
    );
  }
}

function blocked(cause: unknown): TidelockError {
  return new TidelockError(LIBRARY_CODES.STORAGE_BLOCKED, 'The browser refuses storage to this page.', {
    details: { name: cause instanceof Error || cause instanceof DOMException ? cause.name : typeof cause },
    cause,
  });
}
