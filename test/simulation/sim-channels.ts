import type { Channel } from '../../src/platform/platform';
import type { Agent } from './agent';
import type { Dice } from './dice';
import { describeMessage, type Trace } from './trace';
import type { VirtualTime } from './virtual-time';

interface End {
  readonly name: string;
  readonly agent: Agent;
  readonly hear: (data: unknown) => void;
  readonly number: number;
  isOpen: boolean;
  /** When the last message from each other end arrives here: none overtakes another of the same sender. */
  readonly lastArrivals: Map<End, number>;
  /** Senders whose death cut their line: what they sent later is lost as well. */
  readonly cut: Set<End>;
}

/** How often a message that is under way when its sender dies gets lost, with all that its sender sent after it. */
const LOST_WITH_SENDER = 0.5;

/** Broadcast channels: everyone but the sender hears, each a moment later, in the order of each sender. */
export class SimChannels {
  readonly #time: VirtualTime;
  readonly #dice: Dice;
  readonly #trace: Trace;
  readonly #ends = new Set<End>();
  #numbers = 0;

  constructor(time: VirtualTime, dice: Dice, trace: Trace) {
    this.#time = time;
    this.#dice = dice;
    this.#trace = trace;
  }

  open(agent: Agent, name: string, hear: (data: unknown) => void): Channel {
    const end: End = {
      name,
      agent,
      hear,
      number: this.#numbers++,
      isOpen: agent.isAlive,
      lastArrivals: new Map(),
      cut: new Set(),
    };
    const close = (): void => {
      end.isOpen = false;
      this.#ends.delete(end);
    };
    if (end.isOpen) this.#ends.add(end);
    agent.onDeath(close);
    return { close, post: (data) => this.#post(end, data) };
  }

  #post(sender: End, data: unknown): void {
    if (!sender.isOpen) return;
    // Throws at the sender for what cannot be cloned, as a channel does. One copy for all: nobody changes what it hears.
    const copy: unknown = structuredClone(data);
    for (const receiver of this.#ends)
      if (receiver !== sender && receiver.name === sender.name) this.#carry(sender, receiver, copy);
  }

  #carry(sender: End, receiver: End, data: unknown): void {
    const { nowMs } = this.#time;
    const arrivalMs = Math.max(nowMs + this.#delayMs(), receiver.lastArrivals.get(sender) ?? 0);
    receiver.lastArrivals.set(sender, arrivalMs);
    const detail = this.#trace.isKept ? `: ${describeMessage(data)}` : '';
    this.#time.after(arrivalMs - nowMs, `${sender.agent.name} to ${receiver.agent.name}${detail}`, () => {
      if (!sender.agent.isAlive && this.#dice.chance(LOST_WITH_SENDER)) receiver.cut.add(sender);
      if (receiver.isOpen && !receiver.cut.has(sender)) receiver.hear(data);
    });
  }

  /** Mostly a millisecond, now and then as long as a busy machine takes. */
  #delayMs(): number {
    return this.#dice.chance(0.03) ? this.#dice.between(5, 120) : this.#dice.between(0.2, 3);
  }
}
