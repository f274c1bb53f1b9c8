/** A worker and where its script comes from; null where the factory took it from elsewhere. */
export interface MadeWorker {
  readonly worker: Worker;
  readonly url: string | null;
}

/**
 * Calls the app's factory and learns the URL of the script, for the error that says it did not load: a browser's own
 * error event names no URL for a 404, and the Worker object does not know its own. The constructor is watched for the
 * length of this one synchronous call.
 */
export function makeWorker(factory: () => Worker): MadeWorker {
  let url: string | null = null;
  const original = globalThis.Worker;
  if (typeof original !== 'function') return { worker: factory(), url };
  globalThis.Worker = new Proxy(original, {
    construct(target, args: ConstructorParameters<typeof Worker>, newTarget: typeof Worker) {
      url = new URL(args[0], document.baseURI).href;
      return Reflect.construct(target, args, newTarget);
    },
  });
  try {
    return { worker: factory(), url };
  } finally {
    globalThis.Worker = original;
  }
}
