import type { EndEvent, HistoryEvent, InvokeEvent } from './history-event';

/** One call with everything that was seen of it, and where in the history that was. */
export interface SeenCall {
  readonly invoke: InvokeEvent;
  readonly invokedAt: number;
  readonly ends: readonly EndEvent[];
  /** Position of the first end; Infinity where there is none. */
  readonly endedAt: number;
}

/** A history, looked up. */
export interface HistoryIndex {
  readonly events: readonly HistoryEvent[];
  readonly calls: readonly SeenCall[];
  /** Ends of calls that nobody made. */
  readonly strayEnds: readonly EndEvent[];
  /** Invokes under an id that was taken. */
  readonly repeatedInvokes: readonly InvokeEvent[];
  /** Position of each tab's end. */
  readonly goneAt: ReadonlyMap<string, number>;
}

export function indexHistory(events: readonly HistoryEvent[]): HistoryIndex {
  const calls = new Map<
    string,
    { invoke: InvokeEvent; invokedAt: number; ends: EndEvent[]; endedAt: number }
  >();
  const strayEnds: EndEvent[] = [];
  const repeatedInvokes: InvokeEvent[] = [];
  const goneAt = new Map<string, number>();
  events.forEach((event, position) => {
    switch (event.kind) {
      case 'invoke':
        if (calls.has(event.callId)) repeatedInvokes.push(event);
        else calls.set(event.callId, { invoke: event, invokedAt: position, ends: [], endedAt: Infinity });
        return;
      case 'ok':
      case 'fail':
      case 'unknown': {
        const call = calls.get(event.callId);
        if (call === undefined || call.invoke.tab !== event.tab) {
          strayEnds.push(event);
          return;
        }
        call.ends.push(event);
        call.endedAt = Math.min(call.endedAt, position);
        return;
      }
      case 'gone':
        if (!goneAt.has(event.tab)) goneAt.set(event.tab, position);
        return;
      case 'saw':
        return;
    }
  });
  return { events, calls: [...calls.values()], strayEnds, repeatedInvokes, goneAt };
}
