import type { Json } from '../../src/domain/json';
import { UpstreamRejected } from '../../src/client/gateway/upstream-rejected';
import { never, type Agent } from './agent';
import type { Dice } from './dice';
import type { VirtualTime } from './virtual-time';

/** One change in the upstream's log; every client fetches them in order. */
export interface Change {
  readonly id: string;
}

const PAGE_SIZE = 4;

/** How likely each mischief is, a request. */
export interface UpstreamFaults {
  readonly lostRequest: number;
  readonly lostAnswer: number;
  /** So late that its tab has given up. */
  readonly late: number;
  /** The network delivers the request twice. */
  readonly twice: number;
  readonly rejected: number;
}

export const BAD_DAY: UpstreamFaults = {
  lostRequest: 0.08,
  lostAnswer: 0.1,
  late: 0.06,
  twice: 0.1,
  rejected: 0.08,
};
export const GOOD_DAY: UpstreamFaults = { lostRequest: 0, lostAnswer: 0, late: 0, twice: 0, rejected: 0 };

export interface UpstreamOptions {
  readonly time: VirtualTime;
  readonly dice: Dice;
  /** Knows no repeat: every delivery takes effect. Only to see that this is noticed. */
  readonly isForgetful?: boolean;
}

/** The server: it knows a repeat by its operation identity, and the network before it is as networks are. */
export class Upstream {
  faults: UpstreamFaults = BAD_DAY;
  readonly log: Change[] = [];
  /** How often each operation that arrived took effect. */
  readonly effects = new Map<string, number>();
  readonly #options: UpstreamOptions;
  #underWay = 0;

  constructor(options: UpstreamOptions) {
    this.#options = options;
  }

  /** Whether the network still carries a request or an answer. */
  get isBusy(): boolean {
    return this.#underWay > 0;
  }

  /** A change by somebody else. */
  changeByOthers(): void {
    this.log.push({ id: `others-${String(this.log.length)}` });
  }

  push(agent: Agent, identities: readonly string[]): Promise<'accepted'> {
    return this.#request(agent, `push ${identities.join(',')}`, () => {
      for (const identity of identities) this.#takeEffect(identity);
      return 'accepted';
    });
  }

  /** The next page after the cursor, which counts the changes fetched so far. */
  pull(
    agent: Agent,
    cursor: Json,
  ): Promise<{ readonly page: readonly Change[]; readonly nextCursor: number }> {
    const from = typeof cursor === 'number' ? cursor : 0;
    return this.#request(agent, `pull ${String(from)}`, () => {
      const page = this.log.slice(from, from + PAGE_SIZE);
      return { page, nextCursor: from + page.length };
    });
  }

  #takeEffect(identity: string): void {
    const known = this.effects.get(identity) ?? 0;
    if (known > 0 && this.#options.isForgetful !== true) return;
    this.effects.set(identity, known + 1);
    this.log.push({ id: `of-${identity}-${String(known)}` });
  }

  #request<T>(agent: Agent, label: string, work: () => T): Promise<T> {
    if (!agent.isAlive) return never();
    const { dice } = this.#options;
    const { faults } = this;
    const isLate = dice.chance(faults.late);
    const travelMs = (): number => (isLate ? dice.between(1_000, 12_000) : dice.between(5, 60));
    return new Promise((resolve, reject) => {
      const answer = (what: string, run: () => void): void => {
        this.#carry(travelMs(), `upstream to ${agent.name}: ${what}`, () => {
          if (agent.isAlive) run();
        });
      };
      const loseIt = (): void => {
        // Either the connection breaks or nobody says anything ever.
        if (dice.chance(0.5)) answer('connection lost', () => reject(new TypeError('Failed to fetch')));
      };
      const arrive = (): void => {
        if (dice.chance(faults.rejected)) {
          answer('rejected', () => reject(new UpstreamRejected('not now')));
          return;
        }
        const value = work();
        if (dice.chance(faults.lostAnswer)) loseIt();
        else answer('answer', () => resolve(structuredClone(value)));
      };
      if (dice.chance(faults.lostRequest)) {
        loseIt();
        return;
      }
      this.#carry(travelMs(), `upstream gets ${label} of ${agent.name}`, arrive);
      if (dice.chance(faults.twice)) {
        this.#carry(travelMs(), `upstream gets ${label} of ${agent.name} again`, () => void work());
      }
    });
  }

  #carry(delayMs: number, label: string, run: () => void): void {
    this.#underWay += 1;
    this.#options.time.after(delayMs, label, () => {
      this.#underWay -= 1;
      run();
    });
  }
}
