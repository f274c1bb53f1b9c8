/** Lets the worker's queued messages in. `close` frees its ports, which keep a Node process alive. */
export interface TurnYielder {
  readonly yieldTurn: () => Promise<void>;
  readonly close: () => void;
}

/**
 * One macrotask by way of a MessageChannel: it queues behind the messages already waiting and, unlike a timer, is
 * never held up to four milliseconds.
 */
export function createTurnYielder(): TurnYielder {
  const { port1, port2 } = new MessageChannel();
  const waiting: (() => void)[] = [];
  port1.onmessage = () => waiting.shift()?.();
  return {
    yieldTurn: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        port2.postMessage(null);
      }),
    close: () => {
      port1.close();
      port2.close();
      // Nobody waits for ever.
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}
