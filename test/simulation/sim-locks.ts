import type { Locks } from '../../src/platform/platform';
import { never, type Agent } from './agent';
import type { Dice } from './dice';
import type { VirtualTime } from './virtual-time';

interface Request {
  readonly name: string;
  readonly agent: Agent;
  readonly isOnlyIfAvailable: boolean;
  /** Runs the callback, with null where the lock was wanted at once or not at all and is taken. */
  readonly grant: (lock: Lock | null) => void;
  isGone: boolean;
}

type Callback = (lock: Lock | null) => unknown;

/**
 * The browser's lock manager: exclusive locks, first come, first served. It lives outside of all agents: requests and
 * releases take a moment to reach it, grants a moment to come back, and it learns of a death a moment late.
 */
export class SimLocks {
  readonly #time: VirtualTime;
  readonly #dice: Dice;
  /** The first of each queue is the holder. */
  readonly #queues = new Map<string, Request[]>();
  /** When the last word of an agent reaches the manager: they arrive in the order of sending. */
  readonly #lastArrivals = new Map<Agent, number>();

  constructor(time: VirtualTime, dice: Dice) {
    this.#time = time;
    this.#dice = dice;
  }

  /** The lock manager as one agent sees it. */
  of(agent: Agent): Locks {
    agent.onDeath(() => this.#bury(agent));
    return {
      request: (name: string, ...rest: [Callback] | [LockOptions, Callback]): Promise<unknown> => {
        const [options, callback] = rest.length === 1 ? [{}, rest[0]] : rest;
        return this.#request(agent, name, options, callback);
      },
      query: () => this.#query(agent),
    } as Locks; // its overloads cannot be spelled out in one function
  }

  findHolder(name: string): Agent | undefined {
    return this.#queues.get(name)?.[0]?.agent;
  }

  listHeld(): readonly string[] {
    return [...this.#queues.keys()];
  }

  #request(agent: Agent, name: string, options: LockOptions, callback: Callback): Promise<unknown> {
    const { signal, mode = 'exclusive', ifAvailable = false } = options;
    if (mode !== 'exclusive' || options.steal === true)
      throw new RangeError('only exclusive locks are simulated, and no theft');
    if (!agent.isAlive) return never();
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) throw signal.reason;
      const onAbort = (): void => {
        this.#send(agent, `lock ${name} given up by ${agent.name}`, () => this.#remove(request));
        request.isGone = true;
        reject(signal?.reason);
      };
      const request: Request = {
        name,
        agent,
        isOnlyIfAvailable: ifAvailable,
        isGone: false,
        grant: (lock) => {
          if (!agent.isAlive || request.isGone) return;
          signal?.removeEventListener('abort', onAbort);
          const release = (settle: () => void): void =>
            this.#send(agent, `lock ${name} released by ${agent.name}`, () => {
              this.#remove(request);
              if (agent.isAlive) settle();
            });
          runCallback(callback, lock).then(
            (value) => release(() => resolve(value)),
            (error: unknown) => release(() => reject(error)),
          );
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#send(agent, `lock ${name} asked for by ${agent.name}`, () => this.#enqueue(request));
    });
  }

  #enqueue(request: Request): void {
    if (request.isGone || !request.agent.isAlive) return;
    const queue = this.#queues.get(request.name) ?? [];
    this.#queues.set(request.name, queue);
    if (request.isOnlyIfAvailable && queue.length > 0) {
      this.#answer(request, 'refused', null);
      return;
    }
    queue.push(request);
    if (queue.length === 1) this.#grant(request);
  }

  #grant(request: Request): void {
    this.#answer(request, 'granted', { name: request.name, mode: 'exclusive' });
  }

  #answer(request: Request, word: string, lock: Lock | null): void {
    this.#time.after(this.#dice.between(0, 2), `lock ${request.name} ${word} to ${request.agent.name}`, () =>
      request.grant(lock),
    );
  }

  #remove(request: Request): void {
    const queue = this.#queues.get(request.name);
    const index = queue?.indexOf(request) ?? -1;
    if (queue === undefined || index < 0) return;
    queue.splice(index, 1);
    const [next] = queue;
    if (next === undefined) this.#queues.delete(request.name);
    else if (index === 0) this.#grant(next);
  }

  /** The manager hears of a death lock by lock, so nobody may rely on an order of theirs. */
  #bury(agent: Agent): void {
    for (const queue of this.#queues.values()) {
      for (const request of queue.filter((each) => each.agent === agent)) {
        this.#time.after(
          this.#dice.between(0, 12),
          `lock ${request.name} freed by the death of ${agent.name}`,
          () => this.#remove(request),
        );
      }
    }
  }

  #query(agent: Agent): Promise<LockManagerSnapshot> {
    if (!agent.isAlive) return never();
    return new Promise((resolve) => {
      this.#send(agent, `locks listed for ${agent.name}`, () => {
        const held: LockInfo[] = [];
        const pending: LockInfo[] = [];
        for (const [first, ...others] of this.#queues.values()) {
          if (first !== undefined) held.push(toInfo(first));
          pending.push(...others.map(toInfo));
        }
        this.#time.after(this.#dice.between(0, 1), `list of locks for ${agent.name}`, () => {
          if (agent.isAlive) resolve({ held, pending });
        });
      });
    });
  }

  #send(agent: Agent, label: string, run: () => void): void {
    if (!agent.isAlive) return;
    const { nowMs } = this.#time;
    const arrivalMs = Math.max(nowMs + this.#dice.between(0, 1), this.#lastArrivals.get(agent) ?? 0);
    this.#lastArrivals.set(agent, arrivalMs);
    this.#time.after(arrivalMs - nowMs, label, run);
  }
}

/** A callback may throw at once; that ends the lock as a rejection does. */
async function runCallback(callback: Callback, lock: Lock | null): Promise<unknown> {
  return await callback(lock);
}

function toInfo({ name, agent }: Request): LockInfo {
  return { name, mode: 'exclusive', clientId: agent.name };
}
