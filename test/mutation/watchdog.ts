import { Worker } from 'node:worker_threads';

const LOOK_EVERY_MS = 250;

/** Runs beside a loop that never ends, and counts what the whole process has used of the processor. */
const SOURCE = `
  const { workerData } = require('node:worker_threads');
  const limit = new Float64Array(workerData);
  setInterval(() => {
    const { user, system } = process.cpuUsage();
    if (limit[0] > 0 && (user + system) / 1000 > limit[0]) process.kill(process.pid, 'SIGKILL');
  }, ${LOOK_EVERY_MS});`;

/**
 * Kills this process when a piece of work takes more of the processor than it may. Not the clock on the wall: on a busy
 * machine a mutant that is only slow would count as one that hangs.
 */
export class Watchdog {
  readonly #limit = new Float64Array(new SharedArrayBuffer(8));

  constructor() {
    new Worker(SOURCE, { eval: true, workerData: this.#limit.buffer }).unref();
  }

  /** @returns a function that says how many milliseconds of the processor were used, and calls the dog off */
  watch(budgetMs: number): () => number {
    const startedMs = readCpuMs();
    this.#limit[0] = startedMs + budgetMs;
    return () => {
      this.#limit[0] = 0;
      return readCpuMs() - startedMs;
    };
  }
}

function readCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
