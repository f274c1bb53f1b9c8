import type { StorageKind } from './discovery';
import type { WireError } from './error-codec';

/** What a tab and its own worker say to each other, beside the calls (those go through channels). */

/** Where a worker stands on its way to being the writer, in order. `waiting` may last as long as another writer lives. */
export const WORKER_STAGES = [
  'loading',
  'waiting',
  'opening',
  'migrating',
  'recovering',
  'serving',
  'failed',
] as const;
export type WorkerStage = (typeof WORKER_STAGES)[number];

export interface StartMessage {
  readonly tidelock: 'start';
  readonly protocol: number;
  readonly db: string;
  readonly sessionId: string;
  readonly workerId: string;
  readonly storage: StorageKind;
}

export type WorkerReport =
  /** The script has run and listens; only now is `start` sent, because a module worker drops what comes earlier. */
  | { readonly tidelock: 'loaded'; readonly protocol: number }
  | { readonly tidelock: 'stage'; readonly stage: WorkerStage }
  /** It cannot go on and holds nothing any more. `retryInFreshWorker`: another worker may succeed. */
  | { readonly tidelock: 'failed'; readonly error: WireError; readonly retryInFreshWorker: boolean };

export function parseWorkerReport(data: unknown): WorkerReport | undefined {
  if (typeof data !== 'object' || data === null || !('tidelock' in data)) return undefined;
  const isReport = data.tidelock === 'loaded' || data.tidelock === 'stage' || data.tidelock === 'failed';
  return isReport ? (data as WorkerReport) : undefined; // only this library's worker sets the field
}

export function parseStartMessage(data: unknown): StartMessage | undefined {
  if (typeof data !== 'object' || data === null || !('tidelock' in data)) return undefined;
  return data.tidelock === 'start' ? (data as StartMessage) : undefined; // only this library's tab sends it
}
