/** For trying things from a console or a browser driver: `await lab.connect({ db })`, then `lab.tide` and `lab.worker`. */
import { connect, type ConnectOptions, type TideOf } from 'tidelock';
import type { App } from '../worker/tasks.worker';

interface LabOptions extends Partial<Omit<ConnectOptions, 'name' | 'worker'>> {
  /** The database; default `?db=` of the page, else `lab`. */
  readonly db?: string;
}

interface Lab {
  /** The client `connect` made last. */
  tide: TideOf<App> | undefined;
  /** The worker its factory made last. */
  worker: Worker | undefined;
  connect(options?: LabOptions): Promise<TideOf<App>>;
}

declare global {
  // `declare global` needs var: it is the only form that makes a property of globalThis.
  var lab: Lab;
}

const lab: Lab = {
  tide: undefined,
  worker: undefined,
  async connect({ db, ...options } = {}) {
    const name = db ?? new URL(location.href).searchParams.get('db') ?? 'lab';
    const makeWorker = (): Worker =>
      (lab.worker = new Worker(new URL('../worker/tasks.worker.ts', import.meta.url), { type: 'module' }));
    lab.tide = await connect<App>({ ...options, name, worker: makeWorker });
    return lab.tide;
  },
};
globalThis.lab = lab;
