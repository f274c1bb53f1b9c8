/**
 * Switches that make the network look bad on purpose.
 *
 * - lose: the request is handled and journalled, then its connection is cut without an answer.
 * - delay: the request is handled at once and answered after `delayMs`.
 * - duplicate: the request is handled twice, as if the network had repeated it; the first answer is sent.
 * - reject: a push's operations are rejected with reason `fault`, without effect; a pull is answered 403.
 *
 * Armed faults queue up: each matching request uses one, of the oldest that matches. They live in memory and end
 * with the server. A request that is refused as bad input uses none.
 */
export const FAULT_KINDS = ['lose', 'delay', 'duplicate', 'reject'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export const FAULT_TARGETS = ['push', 'pull', 'any'] as const;
export type FaultTarget = (typeof FAULT_TARGETS)[number];

export interface Fault {
  readonly next: FaultKind;
  readonly on: FaultTarget;
  /** How many more requests it is for, at least 1. */
  readonly count: number;
  /** 0 unless `next` is `delay`. */
  readonly delayMs: number;
}

export class FaultSwitches {
  #armed: readonly Fault[] = [];

  get armed(): readonly Fault[] {
    return this.#armed;
  }

  arm(fault: Fault): void {
    this.#armed = [...this.#armed, fault];
  }

  clear(): void {
    this.#armed = [];
  }

  /** Uses up one of the oldest fault armed for this sort of request. */
  take(target: 'push' | 'pull'): Fault | undefined {
    const taken = this.#armed.find(({ on }) => on === target || on === 'any');
    if (taken === undefined) return undefined;
    this.#armed = this.#armed.flatMap((fault) => {
      if (fault !== taken) return [fault];
      return fault.count > 1 ? [{ ...fault, count: fault.count - 1 }] : [];
    });
    return taken;
  }
}
