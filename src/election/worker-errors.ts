/** What goes wrong with a tab's own worker, each with its code. */
import { LIBRARY_CODES } from '../domain/error-codes';
import { TidelockError } from '../domain/tidelock-error';
import { PROTOCOL_VERSION } from '../protocol/limits';
import type { WorkerStage } from '../protocol/worker-port';
import { STUCK_AFTER_MS } from './worker-pulse';

export function stageTimedOut(stage: WorkerStage, timeoutMs: number | null): TidelockError {
  return new TidelockError(
    LIBRARY_CODES.START_TIMEOUT,
    `This tab's worker stood at "${stage}" for ${timeoutMs ?? 0} ms and was ended; another one is tried.`,
    { details: { stage, timeoutMs } },
  );
}

export function stuck(): TidelockError {
  return new TidelockError(
    LIBRARY_CODES.WRITER_UNRESPONSIVE,
    `This tab's worker said nothing for ${STUCK_AFTER_MS} ms and was ended; another one is made.`,
    { details: { holder: null, timeoutMs: STUCK_AFTER_MS } },
  );
}

export function loadFailed(event: ErrorEvent, scriptUrl: string | null): TidelockError {
  const url = event.filename === undefined || event.filename === '' ? scriptUrl : event.filename;
  const what =
    event.message === undefined || event.message === ''
      ? 'the script could not be fetched or parsed'
      : event.message;
  return new TidelockError(
    LIBRARY_CODES.WORKER_LOAD_FAILED,
    `The worker did not start (${what}). Check the URL in the worker factory: ${url ?? 'unknown'}. After a deploy, reload the page.`,
    {
      details: { url },
      cause: event.error,
    },
  );
}

export function startTimedOut(timeoutMs: number, url: string | null): TidelockError {
  return new TidelockError(
    LIBRARY_CODES.WORKER_LOAD_FAILED,
    `The worker did not start within ${timeoutMs} ms. Does its script load, and call serve()?`,
    { details: { url, timeoutMs } },
  );
}

export function protocolMismatch(actual: number): TidelockError {
  return new TidelockError(
    LIBRARY_CODES.PROTOCOL_MISMATCH,
    `The worker file speaks protocol ${actual}, this page ${PROTOCOL_VERSION}. Reload the page.`,
    { details: { expected: PROTOCOL_VERSION, actual } },
  );
}
