import type { Database } from '../database';
import { CoordinatorStore } from './coordinator-store';
import { CursorStore } from './cursor-store';
import { PermitStore } from './permit-store';

export { CoordinatorStore, type CoordinatorStoreOptions } from './coordinator-store';
export { CursorStore, type CursorStoreOptions } from './cursor-store';
export { PermitStore, type PermitStoreOptions } from './permit-store';

export interface StoresOptions {
  /** Migrated; owned by the caller, who closes it. */
  readonly database: Database;
  /** The present instant, ISO 8601 UTC with milliseconds. */
  readonly clock: () => string;
  readonly newId: () => string;
}

export interface Stores {
  readonly coordinator: CoordinatorStore;
  readonly permits: PermitStore;
  readonly cursors: CursorStore;
}

/** The durable stores over one database. They hold no connection or timer of their own: nothing to close. */
export function openStores(options: StoresOptions): Stores {
  return {
    coordinator: new CoordinatorStore(options),
    permits: new PermitStore(options),
    cursors: new CursorStore(options),
  };
}
