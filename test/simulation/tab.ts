import { connectOn, type TideOf } from '../../src/client/connect';
import { WorkerHost } from '../../worker/host/worker-host';
import type { CallNote } from '../support/history/history-event';
import { Agent } from './agent';
import { getDefinition, type App, type BuildName } from './app';
import type { Dice } from './dice';
import { SimTabPlatform } from './sim-platform';
import { SimWorker } from './sim-worker';
import type { World } from './world';

export const DATABASE = 'sim';
export const WORKSPACE = 'w-1';
const PRINCIPAL = { userId: 'u-1', tenantId: 't-1' };

/** Longest time to the end of a call that names no timeout: the library's own, and a tick of each of its timers. */
export const CALL_BOUND_MS = 30_000;

export type Tide = TideOf<App>;

/** One page of the app, from its load to its death. What it asks and sees goes into the history. */
export class SimTab {
  readonly name: string;
  readonly agent: Agent;
  readonly dice: Dice;
  readonly platform: SimTabPlatform;
  readonly world: World;
  /** Of the page and of its worker file. */
  readonly build: BuildName;
  #worker: Agent | undefined;
  #workers = 0;
  #tide: Tide | undefined;
  #busy = 0;
  #generation = 0;

  constructor(world: World, name: string) {
    this.world = world;
    this.name = name;
    this.build = world.build;
    this.agent = new Agent(name);
    this.dice = world.dice.fork(name);
    this.platform = new SimTabPlatform(this.agent, world.around);
  }

  /** The worker this page made last. */
  get worker(): Agent | undefined {
    return this.#worker;
  }

  get tide(): Tide {
    if (this.#tide === undefined) throw new Error(`${this.name} has not joined`);
    return this.#tide;
  }

  /** The generation of the opened workspace, by the answer to its opening: the status learns of it a moment later. */
  get generation(): number {
    return this.#generation;
  }

  get hasJoined(): boolean {
    return this.#tide !== undefined;
  }

  /** Whether something that `run` started goes on. */
  get isBusy(): boolean {
    return this.agent.isAlive && this.#busy > 0;
  }

  /** Starts the app's code in the page. What it throws is a fault of the simulation. */
  run(work: () => Promise<void>): void {
    this.#busy += 1;
    work().then(
      () => void (this.#busy -= 1),
      (error: unknown) => this.world.blame(`${this.name}: its code threw ${describeError(error)}`),
    );
  }

  /** Connects and opens the workspace; false where that failed, which the history tells. */
  async join(): Promise<boolean> {
    const tide = await this.ask({ name: 'connect', boundMs: CALL_BOUND_MS }, () =>
      connectOn<App>(this.platform, { name: DATABASE, worker: () => this.#makeWorker() }),
    );
    if (tide === undefined) return false;
    this.#tide = tide;
    const note = (): void => {
      const { writer, localDataVersion } = tide.status;
      if (writer === null) return;
      const { epoch, serverInstanceId } = writer;
      this.world.recorder.saw(this.name, {
        dataVersion: localDataVersion,
        writer: { epoch, serverInstanceId },
      });
    };
    note();
    tide.on('status', note);
    tide.on('upgrade-required', () => this.world.replaceOutdated(this));
    const opened = await this.ask({ name: 'workspaces.open', boundMs: CALL_BOUND_MS }, () =>
      tide.workspaces.open(WORKSPACE, PRINCIPAL),
    );
    this.#generation = opened?.coordinatorGeneration ?? 0;
    return opened !== undefined;
  }

  /** Makes one call and writes down how it ended; undefined where it failed. */
  async ask<T>(
    call: CallNote,
    work: () => Promise<T>,
    read: (value: T) => Parameters<ReturnType<World['recorder']['invoke']>['ok']>[0] = () => ({}),
  ): Promise<T | undefined> {
    const open = this.world.recorder.invoke(this.name, call);
    try {
      const value = await work();
      open.ok(read(value));
      return value;
    } catch (error) {
      open.failed(error);
      return undefined;
    }
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.platform.after(ms, resolve));
  }

  /** Ends the page as a user does: it hears of it first. */
  close(): void {
    this.platform.page.dispatchEvent(new Event('pagehide'));
    this.world.time.after(this.dice.between(0, 3), `${this.name} is gone`, () => this.end('close'));
  }

  end(how: string): void {
    if (!this.agent.isAlive) return;
    this.world.recorder.gone(this.name, how);
    this.agent.die();
  }

  #makeWorker(): Worker {
    this.#workers += 1;
    const agent = new Agent(`${this.name}.w${String(this.#workers)}`);
    this.#worker = agent;
    const { around } = this.world;
    const worker = new SimWorker(this.agent, agent, {
      around,
      run: (platform) => new WorkerHost(getDefinition(this.build), platform).listen(),
    });
    return worker as unknown as Worker; // as much of one as the library uses
  }
}

export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
