import type { Channel, Locks, Platform, TabPlatform } from '../../src/platform/platform';
import type { Agent } from './agent';
import type { Dice } from './dice';
import type { SimChannels } from './sim-channels';
import type { SimLocks } from './sim-locks';
import type { VirtualTime } from './virtual-time';

/** The epoch millisecond at which every run starts. */
export const START_MS = Date.parse('2026-03-01T00:00:00.000Z');

/** What all agents of a world share. */
export interface Surroundings {
  readonly time: VirtualTime;
  readonly dice: Dice;
  readonly locks: SimLocks;
  readonly channels: SimChannels;
  /** An error that the library told its developer of. */
  readonly report: (agent: Agent, error: unknown) => void;
}

/** The browser, as one agent sees it. Nothing comes through to or from an agent that is dead. */
export class SimPlatform implements Platform {
  readonly locks: Locks;
  readonly agent: Agent;
  protected readonly around: Surroundings;
  protected readonly dice: Dice;
  #monotonicMs = 0;

  constructor(agent: Agent, around: Surroundings) {
    this.agent = agent;
    this.around = around;
    this.dice = around.dice.fork(agent.name);
    this.locks = around.locks.of(agent);
  }

  openChannel(name: string, onMessage: (data: unknown) => void): Channel {
    return this.around.channels.open(this.agent, name, onMessage);
  }

  after(delayMs: number, work: () => void): () => void {
    if (!this.agent.isAlive) return () => undefined;
    return this.around.time.after(delayMs + this.dice.between(0, 1), `timer of ${this.agent.name}`, () => {
      if (this.agent.isAlive) work();
    });
  }

  every(periodMs: number, work: () => void): () => void {
    let stop = (): void => undefined;
    const plan = (): void => {
      stop = this.after(periodMs, () => {
        plan();
        work();
      });
    };
    plan();
    return () => stop();
  }

  now(): number {
    return START_MS + Math.floor(this.around.time.nowMs);
  }

  /** Moves a little at each look: a task of a real agent takes time, and what measures it must see some pass. */
  monotonicMs(): number {
    this.#monotonicMs = Math.max(this.#monotonicMs + this.dice.between(0, 0.4), this.around.time.nowMs);
    return this.#monotonicMs;
  }

  randomUuid(): string {
    return this.dice.uuid();
  }

  report(error: unknown): void {
    if (this.agent.isAlive) this.around.report(this.agent, error);
  }
}

export class SimTabPlatform extends SimPlatform implements TabPlatform {
  readonly page = new EventTarget();

  isGone(): Promise<boolean> {
    return Promise.resolve(false);
  }
  readonly storage = { persist: () => Promise.resolve(false), persisted: () => Promise.resolve(false) };
}
