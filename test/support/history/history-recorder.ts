import type { AnswerNote, CallNote, ErrorNote, HistoryEvent, Sight } from './history-event';

/** What a recorder takes of an error, whichever side of a port it comes from. */
export interface ErrorLike {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly details?: unknown;
}

/**
 * Collects a history. One for all tabs; where the tabs are other processes, each sends its events to `add`.
 *
 *   const note = recorder.invoke('tab-1', { name: 'mutate', row });
 *   try { await tide.mutate(…); note.ok(); } catch (error) { note.failed(error); }
 */
export class HistoryRecorder {
  readonly #events: HistoryEvent[] = [];
  readonly #now: (() => number) | undefined;
  #calls = 0;

  constructor({ now }: { readonly now?: () => number } = {}) {
    this.#now = now;
  }

  get events(): readonly HistoryEvent[] {
    return this.#events;
  }

  /** An event made elsewhere; it gets the time of its arrival unless it brings one. */
  add(event: HistoryEvent): void {
    this.#events.push(
      this.#now === undefined || event.at !== undefined ? event : { ...event, at: this.#now() },
    );
  }

  invoke(tab: string, call: CallNote): OpenCall {
    this.#calls += 1;
    const callId = `${tab}#${String(this.#calls)}`;
    this.add({ kind: 'invoke', tab, callId, call });
    return {
      callId,
      ok: (value = {}) => this.add({ kind: 'ok', tab, callId, value }),
      failed: (error) => this.add({ ...readFailure(error), tab, callId }),
    };
  }

  saw(tab: string, what: Sight): void {
    this.add({ kind: 'saw', tab, what });
  }

  gone(tab: string, how: string): void {
    this.add({ kind: 'gone', tab, how });
  }
}

export interface OpenCall {
  readonly callId: string;
  ok(value?: AnswerNote): void;
  /** Whether the call may have taken effect is read off the error. */
  failed(error: unknown): void;
}

/** An error as the kind of end it tells of: only `not-executed`, or no word on the outcome at all, is a plain failure. */
export function readFailure(error: unknown): {
  readonly kind: 'fail' | 'unknown';
  readonly error: ErrorNote;
} {
  const { code, message, details } = (typeof error === 'object' && error !== null ? error : {}) as ErrorLike; // each is checked
  const outcome =
    typeof details === 'object' && details !== null && 'outcome' in details ? details.outcome : null;
  const note: ErrorNote = {
    code: typeof code === 'string' ? code : 'not typed',
    message: typeof message === 'string' ? message : String(error),
    outcome: typeof outcome === 'string' ? outcome : null,
  };
  const isUnknown = outcome === 'unknown' || note.code === 'OUTCOME_UNKNOWN' || note.code === 'not typed';
  return { kind: isUnknown ? 'unknown' : 'fail', error: note };
}
