import type { Rule } from './rule';

/** Rules on each call by itself: one end, in time, and no failure that only a takeover explains. */

/** A tab that lived on hears of every call it made. */
export function* callHangs({ index }: Parameters<Rule>[0]): Iterable<string> {
  for (const { invoke, ends } of index.calls) {
    if (ends.length === 0 && !index.goneAt.has(invoke.tab))
      yield `${invoke.tab}: ${invoke.call.name} (${invoke.callId}) has no end, and its tab lived on`;
  }
}

export function* callEndsTwice({ index }: Parameters<Rule>[0]): Iterable<string> {
  for (const { invoke, ends } of index.calls) {
    if (ends.length > 1)
      yield `${invoke.tab}: ${invoke.call.name} (${invoke.callId}) ended ${ends.length} times: ${ends.map(({ kind }) => kind).join(', ')}`;
  }
}

/** An end belongs to a call of the same tab, and an id to one call. */
export function* strayEnd({ index }: Parameters<Rule>[0]): Iterable<string> {
  for (const { tab, callId, kind } of index.strayEnds)
    yield `${tab}: "${kind}" of ${callId}, which it never called`;
  for (const { tab, callId } of index.repeatedInvokes) yield `${tab}: the id ${callId} was used before`;
}

export function* callLate({ index, slackMs }: Parameters<Rule>[0]): Iterable<string> {
  for (const { invoke, ends } of index.calls) {
    const { boundMs, name } = invoke.call;
    const [end] = ends;
    if (boundMs === undefined || invoke.at === undefined || end?.at === undefined) continue;
    const tookMs = end.at - invoke.at;
    if (tookMs > boundMs + slackMs)
      yield `${invoke.tab}: ${name} (${invoke.callId}) took ${tookMs} ms; its bound is ${boundMs}`;
  }
}

/** The dead run no code. */
export function* ghost({ index }: Parameters<Rule>[0]): Iterable<string> {
  for (const [position, event] of index.events.entries()) {
    const goneAt = index.goneAt.get(event.tab);
    if (goneAt !== undefined && position > goneAt) yield `${event.tab}: "${event.kind}" after its end`;
  }
}

export function* survivorFailed({ index, allowedCodes }: Parameters<Rule>[0]): Iterable<string> {
  for (const { invoke, ends } of index.calls) {
    if (index.goneAt.has(invoke.tab)) continue;
    const allowed = [...allowedCodes, ...(invoke.call.mayFail ?? [])];
    for (const end of ends) {
      if (end.kind === 'ok' || allowed.includes(end.error.code)) continue;
      yield `${invoke.tab}: ${invoke.call.name} (${invoke.callId}) failed with ${end.error.code}: ${end.error.message}`;
    }
  }
}
