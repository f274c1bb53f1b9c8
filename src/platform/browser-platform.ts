import type { Channel, Locks, Platform } from './platform';

/** The browser itself. Touches nothing of it before it is asked, so that a server may import it. */
export class BrowserPlatform implements Platform {
  get locks(): Locks {
    return navigator.locks;
  }

  openChannel(name: string, onMessage: (data: unknown) => void): Channel {
    const channel = new BroadcastChannel(name);
    let isClosed = false;
    channel.onmessage = ({ data }: MessageEvent<unknown>): void => {
      if (!isClosed) onMessage(data);
    };
    return {
      post: (data) => {
        if (!isClosed) channel.postMessage(data);
      },
      close: () => {
        isClosed = true;
        channel.close();
      },
    };
  }

  after(delayMs: number, work: () => void): () => void {
    const timer = setTimeout(work, delayMs);
    return () => clearTimeout(timer);
  }

  every(periodMs: number, work: () => void): () => void {
    const timer = setInterval(work, periodMs);
    return () => clearInterval(timer);
  }

  now(): number {
    return Date.now();
  }

  monotonicMs(): number {
    return performance.now();
  }

  randomUuid(): string {
    return crypto.randomUUID();
  }

  report(error: unknown): void {
    reportError(error);
  }
}

export const browserPlatform: Platform = new BrowserPlatform();
