import type { Database as Oo1Database, Sqlite3Static } from '@sqlite.org/sqlite-wasm';
import { SqliteDatabase } from '../../worker/sqlite/sqlite-database';
import type { Agent } from './agent';
import type { VirtualTime } from './virtual-time';

/** A worker is killed in the middle of a task: nothing it does from here on has any effect. */
export class KilledError extends Error {
  override readonly name = 'KilledError';
}

export interface MortalOptions {
  readonly agent: Agent;
  /** Before each outermost transaction; says whether, and on which side of its commit, the worker dies. */
  readonly beginTransaction: () => 'before' | 'after' | null;
}

/**
 * A connection whose worker can die at the edges of a transaction: with everything written and not committed, or
 * committed and nobody told. Between tasks it can die anyway.
 */
export class MortalDatabase extends SqliteDatabase {
  readonly #options: MortalOptions;
  #depth = 0;

  constructor(sqlite3: Sqlite3Static, db: Oo1Database, options: MortalOptions) {
    super(sqlite3, db);
    this.#options = options;
  }

  override transaction<T>(work: () => T): T {
    const { agent, beginTransaction } = this.#options;
    if (!agent.isAlive) throw new KilledError(`${agent.name} is dead`);
    if (this.#depth > 0) return this.#run(work);
    const death = beginTransaction();
    const value = this.#run(() => {
      const result = work();
      if (death === 'before') this.#die('before its commit');
      return result;
    });
    if (death === 'after') this.#die('after its commit');
    return value;
  }

  /** A dead worker's connection may be in the middle of a transaction's unwinding: it is closed in a task of its own. */
  closeWhenIdle(time: VirtualTime): void {
    if (this.#depth === 0) this.close();
    else time.after(0, `connection of ${this.#options.agent.name} closes`, () => this.close());
  }

  #run<T>(work: () => T): T {
    this.#depth += 1;
    try {
      return super.transaction(work);
    } finally {
      this.#depth -= 1;
    }
  }

  #die(when: string): never {
    this.#options.agent.die();
    throw new KilledError(`${this.#options.agent.name} was killed ${when}`);
  }
}
