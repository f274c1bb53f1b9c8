import type { Trace } from '../../conformance/trace';
import type { Answer, Request } from './stores.worker';

export interface StoresWorker {
  /** The first difference between the trace and the stores over OPFS, or null. */
  run(trace: Trace): Promise<string | null>;
  /** The tables that are left between traces. */
  readonly tables: readonly string[];
  /** Closes the database, then ends the worker. */
  stop(): Promise<void>;
}

/** A worker with a database of its own open on OPFS. */
export async function startStores(): Promise<StoresWorker> {
  const worker = new Worker(new URL('./stores.worker.ts', import.meta.url), { type: 'module' });
  const failed = new Promise<never>((_resolve, reject) => {
    worker.addEventListener('error', ({ message }) => reject(new Error(`worker: ${message}`)));
  });
  failed.catch(() => undefined);
  const ask = async (request: Request) => {
    const { port1, port2 } = new MessageChannel();
    const answered = new Promise<Answer>((resolve) => {
      port1.addEventListener('message', ({ data }: MessageEvent<Answer>) => resolve(data));
      port1.start();
    });
    worker.postMessage(request, [port2]);
    const answer = await Promise.race([answered, failed]);
    port1.close();
    if (!answer.ok) throw new Error(answer.message);
    return answer;
  };
  let { tables } = await ask({ kind: 'open', name: `traces ${crypto.randomUUID()}` });
  return {
    run: async (trace) => {
      const answer = await ask({ kind: 'run', trace });
      tables = answer.tables;
      return answer.difference;
    },
    get tables() {
      return tables;
    },
    stop: async () => {
      await ask({ kind: 'close' });
      worker.terminate();
    },
  };
}
