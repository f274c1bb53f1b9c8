import type { Build } from './build';
import type { StorageKind } from './discovery';
import type { WireError } from './error-codec';

/** What a tab and its own worker say to each other, beside the calls (those go through channels). */

/** Where a worker stands on its way to being the writer, in order. `waiting` may last as long as another writer lives. */
export const WORKER_STAGES = [
  'loading',
  'waiting',
  'loading-wasm',
  'acquiring-files',
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
  /** The lost database in whose place an empty one may be made, by its id. */
  readonly acceptLossOf?: string | null;
}

/** Asks a worker for a sign of life; one that is in the middle of a call cannot give it. */
export interface PingMessage {
  readonly tidelock: 'ping';
}

export type WorkerReport =
  /**
   * The script has run and listens; only now is `start` sent, because a module worker drops what comes earlier. A file
   * of another build may say it: `protocol` is frozen, the rest is read where that is the same.
   */
  | { readonly tidelock: 'loaded'; readonly protocol: number; readonly build: Build }
  | { readonly tidelock: 'stage'; readonly stage: WorkerStage }
  /** The answer to a ping. */
  | { readonly tidelock: 'pong' }
  /** It was the writer and has let go of everything, as it was asked to. */
  | { readonly tidelock: 'handed-over' }
  /** It cannot go on and holds nothing any more. `retryInFreshWorker`: another worker may succeed. */
  | { readonly tidelock: 'failed'; readonly error: WireError; readonly retryInFreshWorker: boolean };

const REPORTS: readonly unknown[] = [
  'loaded',
  'stage',
  'pong',
  'handed-over',
  'failed',
] satisfies readonly WorkerReport['tidelock'][];

export function parseWorkerReport(data: unknown): WorkerReport | undefined {
  return REPORTS.includes(readTag(data)) ? (data as WorkerReport) : undefined; // only this library's worker sets the field
}

export function parseStartMessage(data: unknown): StartMessage | undefined {
  return readTag(data) === 'start' ? (data as StartMessage) : undefined; // only this library's tab sends it
}

export function isPing(data: unknown): boolean {
  return readTag(data) === ('ping' satisfies PingMessage['tidelock']);
}

function readTag(data: unknown): unknown {
  return typeof data === 'object' && data !== null && 'tidelock' in data ? data.tidelock : undefined;
}
