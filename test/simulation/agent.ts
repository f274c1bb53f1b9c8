/** A page or a worker: something that runs code and can die at any moment. The dead hear, send and run nothing more. */
export class Agent {
  readonly name: string;
  readonly #onDeath: (() => void)[] = [];
  #isAlive = true;

  constructor(name: string) {
    this.name = name;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Runs at the death, in the order of asking. */
  onDeath(work: () => void): void {
    if (this.#isAlive) this.#onDeath.push(work);
    else work();
  }

  /** Idempotent. */
  die(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    for (const work of this.#onDeath.splice(0)) work();
  }
}

/** What a dead agent waits for. */
export function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}
