import { isTidelockError } from '../../../src/domain/tidelock-error';
import type { Stores } from '../../../worker/stores';
import { openStores } from '../../../worker/stores';
import { findDifference } from '../../conformance/find-difference';
import type { TestClock, TestDatabase } from '../support/store-setup';
import { CommitModel } from './commit-model';
import { CoordinatorModel } from './coordinator-model';
import { findBroken } from './invariants';
import { readRows } from './read-rows';
import { RecoveryModel } from './recovery-model';
import { Refused, World, type Rows } from './world';

const PREFIX = 'SYNC_COORDINATOR_';

/** The stores and their model side by side: each call goes to both, and both must say and store the same. */
export class Lockstep {
  readonly world: World;
  readonly coordinator: CoordinatorModel;
  readonly permits: CommitModel;
  readonly recovery: RecoveryModel;
  readonly database: TestDatabase;
  readonly clock: TestClock;
  stores: Stores;
  /** The writer's life; each restart begins another. */
  instance = 1;
  #storeIds = 0;
  #modelIds = 0;
  #rows: Rows;

  /** The methods that came to a result at least once, nested calls included. */
  readonly #reached: Set<string>;

  constructor(database: TestDatabase, clock: TestClock, reached: Set<string>) {
    this.#reached = reached;
    this.database = database;
    this.clock = clock;
    this.world = new World(clock.read(), () => `id-${++this.#modelIds}`);
    this.coordinator = new CoordinatorModel(this.world);
    this.permits = new CommitModel(this.world);
    this.recovery = new RecoveryModel(this.world, this.permits);
    this.stores = this.#open();
    this.#rows = readRows(database);
  }

  get instanceId(): string {
    return `s-${this.instance}`;
  }

  restart(): void {
    this.instance += 1;
    this.stores = this.#open();
    this.world.restart();
  }

  moveClock(ms: number): void {
    this.clock.move(ms);
    this.world.now = this.clock.read();
  }

  /** Runs both; returns where they differ, or which rule the step broke. */
  step(call: () => unknown, model: () => unknown): string | undefined {
    const expected = outcomeOf(() => this.world.run(model));
    const actual = outcomeOf(call);
    const difference = findDifference(expected, actual, 'outcome');
    if (difference !== undefined) return difference;
    const before = this.#rows;
    this.#rows = readRows(this.database);
    return (
      findDifference(JSON.parse(JSON.stringify(this.world.rows)), this.#rows, 'rows') ??
      findBroken(before, this.#rows)
    );
  }

  #open(): Stores {
    const { coordinator, permits, cursors } = openStores({
      database: this.database,
      clock: this.clock.read,
      newId: () => `id-${++this.#storeIds}`,
    });
    const note = (method: string): unknown => this.#reached.add(method);
    return {
      coordinator: noteResults(coordinator, note),
      permits: noteResults(permits, note),
      cursors: noteResults(cursors, note),
    };
  }
}

/** The same store, telling which of its methods came to a result. */
function noteResults<T extends object>(store: T, note: (method: string) => void): T {
  return new Proxy(store, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(member, target, args);
        note(String(key));
        return result;
      };
    },
  });
}

/** What a callback throws on purpose. */
export class ApplyFailed extends Error {}

function outcomeOf(call: () => unknown): unknown {
  try {
    return { result: JSON.parse(JSON.stringify(call() ?? null)) as unknown };
  } catch (error) {
    if (error instanceof Refused) return { refused: error.code };
    if (error instanceof ApplyFailed) return { refused: 'ApplyFailed' };
    if (isTidelockError(error)) return { refused: error.code.replace(PREFIX, '') };
    throw error;
  }
}
