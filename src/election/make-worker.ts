/** A worker and where its script comes from; null where the factory took it from elsewhere. */
export interface MadeWorker {
  readonly worker: Worker;
  readonly url: string | null;
}

/**
 * Calls the app's factory and learns the URL of the script, for the error that says it did not load: a browser's own
 * error event names no URL for a 404, and neither does anything else it offers. The constructor is watched for the
 * length of this one synchronous call; where the page forbids that, the URL stays unknown.
 */
export function makeWorker(factory: () => Worker): MadeWorker {
  let url: string | null = null;
  const stopWatching = watchConstructor((script) => (url = script));
  try {
    return { worker: factory(), url };
  } finally {
    stopWatching();
  }
}

function watchConstructor(tell: (url: string | null) => void): () => void {
  const original = globalThis.Worker;
  if (typeof original !== 'function') return () => undefined;
  try {
    globalThis.Worker = new Proxy(original, {
      construct(target, args: ConstructorParameters<typeof Worker>, newTarget: typeof Worker) {
        tell(resolve(args[0]));
        return Reflect.construct(target, args, newTarget);
      },
    });
  } catch {
    return () => undefined; // a page whose globals are frozen
  }
  return () => {
    globalThis.Worker = original;
  };
}

/** Null where the constructor will say itself what is wrong with it. */
function resolve(script: string | URL): string | null {
  try {
    return new URL(script, document.baseURI).href;
  } catch {
    return null;
  }
}
