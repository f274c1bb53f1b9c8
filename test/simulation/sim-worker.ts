import type { WorkerReport } from '../../src/protocol/worker-port';
import type { TurnYielder } from '../../worker/scheduler/yield-turn';
import type { OpenedDatabase } from '../../worker/sqlite/opened-database';
import type { OpenOptions, WorkerPlatform } from '../../worker/host/worker-platform';
import { never, type Agent } from './agent';
import type { Disk } from './disk';
import { SimPlatform, type Surroundings } from './sim-platform';
import { describeMessage, type Trace } from './trace';

/** A worker's surroundings beside those of every agent. */
export interface WorkerSurroundings extends Surroundings {
  readonly disk: Disk;
  readonly trace: Trace;
}

/** The platform inside a worker; the tab's end of it is `SimWorker`. */
export class SimWorkerPlatform extends SimPlatform implements WorkerPlatform {
  readonly #disk: Disk;
  readonly #toTab: (report: WorkerReport) => void;
  readonly #listeners = new Set<(data: unknown) => void>();

  constructor(agent: Agent, around: WorkerSurroundings, toTab: (report: WorkerReport) => void) {
    super(agent, around);
    this.#disk = around.disk;
    this.#toTab = toTab;
  }

  onMessage(hear: (data: unknown) => void): () => void {
    this.#listeners.add(hear);
    return () => void this.#listeners.delete(hear);
  }

  /** A message of the tab has come. */
  hear(data: unknown): void {
    for (const listener of [...this.#listeners]) if (this.agent.isAlive) listener(data);
  }

  postToTab(report: WorkerReport): void {
    if (this.agent.isAlive) this.#toTab(report);
  }

  closeWorker(): void {
    this.around.time.after(0, `${this.agent.name} closes itself`, () => this.agent.die());
  }

  /** The engine is warm: one serves all runs. */
  warm(): Promise<void> {
    return Promise.resolve();
  }

  open({ onStage }: OpenOptions): Promise<OpenedDatabase> {
    return this.agent.isAlive ? this.#disk.open(this, onStage) : never();
  }

  makeTurnYielder(): TurnYielder {
    return { yieldTurn: () => this.pause(this.dice.between(0.05, 0.5)), close: () => undefined };
  }

  /** Resolves that much later, unless the worker dies meanwhile. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.around.time.after(ms, `turn of ${this.agent.name}`, () => {
        if (this.agent.isAlive) resolve();
      });
    });
  }
}

type Listener<E> = ((event: E) => void) | null;

/** The tab's handle on a worker, as far as the library uses one. */
export class SimWorker {
  onmessage: Listener<{ readonly data: unknown }> = null;
  onerror: Listener<{ readonly message: string; preventDefault(): void }> = null;
  readonly #tab: Agent;
  readonly #worker: Agent;
  readonly #around: WorkerSurroundings;
  readonly #platform: SimWorkerPlatform;
  #isTerminated = false;
  readonly #lastArrivals = { toTab: 0, toWorker: 0 };

  /** `run` is the worker's script; it runs once it is loaded. */
  constructor(
    tab: Agent,
    worker: Agent,
    {
      around,
      run,
    }: { readonly around: WorkerSurroundings; readonly run: (platform: SimWorkerPlatform) => void },
  ) {
    this.#tab = tab;
    this.#worker = worker;
    this.#around = around;
    this.#platform = new SimWorkerPlatform(worker, around, (report) => this.#toTab(report));
    const loadMs = around.dice.fork(`load ${worker.name}`).between(2, 60);
    around.time.after(loadMs, `script of ${worker.name}`, () => {
      if (worker.isAlive) run(this.#platform);
    });
    // A page takes its workers along.
    tab.onDeath(() => worker.die());
  }

  postMessage(data: unknown): void {
    if (this.#isTerminated || !this.#tab.isAlive) return;
    this.#carry('toWorker', data, (copy) => this.#platform.hear(copy), this.#worker);
  }

  /** The tab hears nothing any more; the worker may go on for a moment. */
  terminate(): void {
    if (this.#isTerminated) return;
    this.#isTerminated = true;
    const { time, dice } = this.#around;
    time.after(dice.between(0, 4), `${this.#worker.name} is terminated`, () => this.#worker.die());
  }

  #toTab(report: WorkerReport): void {
    this.#carry(
      'toTab',
      report,
      (data) => {
        if (!this.#isTerminated) this.onmessage?.({ data });
      },
      this.#tab,
    );
  }

  #carry(way: 'toTab' | 'toWorker', data: unknown, hear: (data: unknown) => void, receiver: Agent): void {
    const { time, dice, trace } = this.#around;
    const copy: unknown = structuredClone(data);
    const arrivalMs = Math.max(time.nowMs + dice.between(0.1, 2), this.#lastArrivals[way]);
    this.#lastArrivals[way] = arrivalMs;
    time.after(
      arrivalMs - time.nowMs,
      `to ${receiver.name}${trace.isKept ? `: ${describeMessage(data)}` : ''}`,
      () => {
        if (receiver.isAlive) hear(copy);
      },
    );
  }
}
