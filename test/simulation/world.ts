import { lockNames } from '../../src/protocol/names';
import { HistoryRecorder } from '../support/history/history-recorder';
import type { Agent } from './agent';
import type { BuildName } from './app';
import { Dice } from './dice';
import { Disk } from './disk';
import { Kills } from './kills';
import { SimChannels } from './sim-channels';
import { SimLocks } from './sim-locks';
import type { WorkerSurroundings } from './sim-worker';
import { DATABASE, SimTab, describeError } from './tab';
import { Trace } from './trace';
import { Upstream } from './upstream';
import { VirtualTime } from './virtual-time';
import { Caller } from './workload';

export interface WorldOptions {
  readonly seed: number;
  /** Unlike every other world's of this process. */
  readonly diskName: string;
  readonly isTraceKept?: boolean;
  readonly isUpstreamForgetful?: boolean;
}

const CALLERS_PER_TAB = 2;

/** Everything there is in one run, made from its seed. `close` it. */
export class World {
  readonly dice: Dice;
  readonly trace: Trace;
  readonly time: VirtualTime;
  readonly locks: SimLocks;
  readonly channels: SimChannels;
  readonly disk: Disk;
  readonly upstream: Upstream;
  readonly kills: Kills;
  readonly recorder: HistoryRecorder;
  readonly around: WorkerSurroundings;
  readonly tabs: SimTab[] = [];
  /** Identities of all operations that any tab ever pushed. */
  readonly operations = new Set<string>();
  /** What must never be, as it was seen. */
  readonly breaches: string[] = [];
  /** What the server has: a page that loads from now on is of this build. */
  build: BuildName = 'first';
  #replaced = 0;
  /** Set once no tab begins anything new. */
  isEnding = false;

  constructor({ seed, diskName, isTraceKept = false, isUpstreamForgetful = false }: WorldOptions) {
    this.dice = new Dice(seed);
    this.trace = new Trace({ isKept: isTraceKept });
    this.time = new VirtualTime(this.trace);
    this.locks = new SimLocks(this.time, this.dice.fork('locks'));
    this.channels = new SimChannels(this.time, this.dice.fork('channels'), this.trace);
    this.recorder = new HistoryRecorder({ now: () => this.time.nowMs });
    this.upstream = new Upstream({
      time: this.time,
      dice: this.dice.fork('upstream'),
      isForgetful: isUpstreamForgetful,
    });
    this.kills = new Kills(this, this.dice.integer(2, 7));
    this.disk = new Disk({
      name: diskName,
      time: this.time,
      dice: this.dice.fork('disk'),
      onBreach: (problem) => this.blame(problem),
      holdsWriterLock: (agent) => this.locks.findHolder(lockNames.writer(DATABASE)) === agent,
      findDeath: () => this.kills.findDeath(),
    });
    this.around = {
      time: this.time,
      dice: this.dice.fork('around'),
      locks: this.locks,
      channels: this.channels,
      disk: this.disk,
      trace: this.trace,
      report: (agent, error) => this.#hearReport(agent, error),
    };
  }

  get living(): readonly SimTab[] {
    return this.tabs.filter(({ agent }) => agent.isAlive);
  }

  /** Whether no living tab's code has anything left to do. */
  get isIdle(): boolean {
    return this.living.every((tab) => !tab.isBusy);
  }

  /** A new page of the app, which gets to work by itself. */
  openTab(name: string): SimTab {
    const tab = new SimTab(this, name);
    this.tabs.push(tab);
    tab.run(async () => {
      if (!(await tab.join())) return;
      for (let index = 1; index <= CALLERS_PER_TAB; index += 1) {
        const caller = new Caller(tab, `c${String(index)}`);
        tab.run(() => caller.work(tab.dice.integer(2, 9)));
      }
    });
    return tab;
  }

  /** From now on pages and worker files are of another build. */
  deploy(build: BuildName): void {
    this.trace.add(this.time.nowMs, `DEPLOY ${build}`);
    this.build = build;
  }

  /** The app was told that its page is outdated, and loads it anew. */
  replaceOutdated(tab: SimTab): void {
    if (tab.build === this.build) this.blame(`${tab.name} is of the newest build and was told to reload`);
    this.#replaced += 1;
    const name = `r${String(this.#replaced)}`;
    tab.close();
    this.time.after(tab.dice.between(5, 60), `${name} opens`, () => this.openTab(name));
  }

  blame(problem: string): void {
    this.trace.add(this.time.nowMs, `BREACH ${problem}`);
    this.breaches.push(problem);
  }

  close(): void {
    for (const { agent } of this.tabs) agent.die();
    this.disk.close();
  }

  #hearReport(agent: Agent, error: unknown): void {
    this.blame(`${agent.name} reports ${describeError(error)}`);
  }
}
