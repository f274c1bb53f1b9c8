import type { WorkerStage } from '../protocol/worker-port';

/**
 * How long each stage of a start may take before the worker is ended and another one made, in milliseconds; null where
 * it may last for ever. Many times what they take on a slow phone: only what hangs gets there. `loading` grows with
 * each start that nothing was heard of, and has its times in `worker-keeper`.
 */
export const STAGE_TIMEOUTS_MS: Readonly<Record<Exclude<WorkerStage, 'loading'>, number | null>> = {
  /** For as long as another writer lives. */
  waiting: null,
  /** Fetches and compiles most of a megabyte. */
  'loading-wasm': 30_000,
  /** The browser frees a dead worker's files; Safari takes up to a second. */
  'acquiring-files': 15_000,
  /** Reads the WAL that a dead writer left. */
  opening: 30_000,
  /** An app's migration may rewrite its tables. */
  migrating: 300_000,
  recovering: 30_000,
  /** Watched call by call, by its pulse. */
  serving: null,
  failed: null,
};
