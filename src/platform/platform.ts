/**
 * Everything that tidelock asks of its browser to coordinate, in one place, so that a simulation can stand in for it:
 * locks, channels, timers, clocks, ids. What only a page or only a worker has is added by `TabPlatform` here and by
 * `WorkerPlatform` beside the worker's host.
 */
export interface Platform {
  readonly locks: Locks;
  /** Hears everything that others post under this name from now on. The caller closes it. */
  openChannel(name: string, onMessage: (data: unknown) => void): Channel;
  /** Runs `work` once, `delayMs` milliseconds from now; returns what calls it off. */
  after(delayMs: number, work: () => void): () => void;
  /** Runs `work` every `periodMs` milliseconds; returns what ends it. */
  every(periodMs: number, work: () => void): () => void;
  /** Epoch milliseconds. Jumps when the user sets the clock. */
  now(): number;
  /** Milliseconds since some moment; never goes back. */
  monotonicMs(): number;
  randomUuid(): string;
  /** Tells the developer of an error that nobody waits for. */
  report(error: unknown): void;
}

export type Locks = Pick<LockManager, 'request' | 'query'>;

/** One end of a broadcast channel. Nothing is sent or heard after `close`, which may be called more than once. */
export interface Channel {
  post(data: unknown): void;
  close(): void;
}

export interface TabPlatform extends Platform {
  /**
   * Tells of the page's life: `pagehide`, `pageshow`, `freeze`, `resume`, `visibilitychange`, `online`, wherever the
   * browser tells it.
   */
  readonly page: Pick<EventTarget, 'addEventListener'>;
  /**
   * Whether the server says that it has no script at this address (any more). False where it cannot be asked. Never
   * rejects.
   */
  isGone(url: string | null): Promise<boolean>;
  readonly storage: PageStorage | undefined;
}

/** `navigator.storage`, as far as a page asks it whether its data is kept. Browsers may have none, or one without these. */
export interface PageStorage {
  persist?(): Promise<boolean>;
  persisted?(): Promise<boolean>;
}
