import type { Database, SqlParams, Statement } from '../../../worker/database';

/** The end of a worker's life, in the middle of something. */
export class Crash extends Error {}

export type CrashPoint =
  | { readonly at: 'before' | 'after'; readonly statement: number }
  /** The commit is durable, but nobody hears of it. */
  | { readonly at: 'after-commit' };

/**
 * A database that dies at one point. What was not committed by then is gone, as it is when a worker is killed: every
 * later use throws too.
 */
export class CrashingDatabase implements Database {
  readonly provider = 'sqlite';
  readonly #database: Database;
  #point: CrashPoint | undefined;
  #statements = 0;
  #isDead = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** How many statements ran since `arm`. */
  get statements(): number {
    return this.#statements;
  }

  /** Begins to count, and to wait for the point where there is one. */
  arm(point?: CrashPoint): void {
    this.#point = point;
    this.#statements = 0;
  }

  get isInTransaction(): boolean {
    return this.#database.isInTransaction;
  }

  prepare(sql: string): Statement {
    const statement = this.#database.prepare(sql);
    return {
      get: (params?: SqlParams) => this.#count(() => statement.get(params)),
      all: (params?: SqlParams) => this.#count(() => statement.all(params)),
      run: (params?: SqlParams) => this.#count(() => statement.run(params)),
    };
  }

  transaction<T>(work: () => T): T {
    this.#assertAlive();
    const isOutermost = !this.isInTransaction;
    const result = this.#database.transaction(work);
    if (isOutermost && this.#point?.at === 'after-commit') this.#die();
    return result;
  }

  #count<T>(use: () => T): T {
    this.#assertAlive();
    this.#statements += 1;
    const point = this.#point;
    const isHere = point !== undefined && point.at !== 'after-commit' && point.statement === this.#statements;
    if (isHere && point.at === 'before') this.#die();
    const result = use();
    if (isHere) this.#die();
    return result;
  }

  #die(): never {
    this.#isDead = true;
    throw new Crash('the worker was killed');
  }

  #assertAlive(): void {
    if (this.#isDead) throw new Crash('the worker is dead');
  }
}
