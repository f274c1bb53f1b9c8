import type { Migration } from '../sqlite/plan-migrations';
import type { ApplyHandler, MutationHandler, QueryHandler } from './handlers';

export type Handlers<Handler> = Readonly<Record<string, Handler>>;

/** The app's part of the worker: its tables and its handlers. */
export interface AppDefinition {
  /** The app's name; databases are named by `connect`. */
  readonly name: string;
  /** The app's own tables, numbered 1, 2, 3 … Never edit one that was released. */
  readonly migrations?: readonly Migration[];
  /**
   * The app's own number of this build, a whole number; default 0. Raise it when handlers change without a migration:
   * tabs of the higher number take the writer's place and do not wait for what an older build would answer.
   */
  readonly version?: number;
  readonly queries?: Handlers<QueryHandler>;
  readonly mutations?: Handlers<MutationHandler>;
  readonly apply?: Handlers<ApplyHandler>;
  /** Epoch milliseconds; another clock for tests. Default `Date.now`. */
  readonly clock?: () => number;
}
