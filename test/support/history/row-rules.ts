import type { SeenCall } from './history-index';
import type { RowNote } from './history-event';
import type { Checked } from './rule';

/** Rules on the rows that mutations insert: nothing lost, nothing doubled, nothing from nowhere, all in order. */

function mutations({ index }: Checked): readonly { readonly call: SeenCall; readonly row: RowNote }[] {
  return index.calls.flatMap((call) => {
    const { row } = call.invoke.call;
    return row === undefined ? [] : [{ call, row }];
  });
}

function countRows(rows: readonly RowNote[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { id } of rows) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

export function* acknowledgedLost(checked: Checked): Iterable<string> {
  const { rows } = checked.final;
  if (rows === undefined) return;
  const counts = countRows(rows);
  for (const { call, row } of mutations(checked)) {
    if (call.ends[0]?.kind === 'ok' && !counts.has(row.id))
      yield `${call.invoke.tab}: row ${row.id} was acknowledged and is not there`;
  }
}

export function* rowTwice({ final }: Checked): Iterable<string> {
  for (const [id, count] of countRows(final.rows ?? []))
    if (count > 1) yield `row ${id} is there ${count} times`;
}

/** "It did not happen" is a promise as well. */
export function* failedButDone(checked: Checked): Iterable<string> {
  const counts = countRows(checked.final.rows ?? []);
  for (const { call, row } of mutations(checked)) {
    const [end] = call.ends;
    if (end?.kind === 'fail' && counts.has(row.id))
      yield `${call.invoke.tab}: row ${row.id} is there, though its call failed with ${end.error.code}`;
  }
}

export function* rowFromNowhere(checked: Checked): Iterable<string> {
  const asked = new Set(mutations(checked).map(({ row }) => row.id));
  for (const { id } of checked.final.rows ?? [])
    if (!asked.has(id)) yield `row ${id} was asked for by nobody`;
}

export function* orderLost({ final }: Checked): Iterable<string> {
  const last = new Map<string, RowNote>();
  for (const row of final.rows ?? []) {
    const before = last.get(row.caller);
    if (before !== undefined && before.sequence >= row.sequence)
      yield `${row.caller}: row ${row.id} (${row.sequence}) arrived after ${before.id} (${before.sequence})`;
    last.set(row.caller, row);
  }
}

/** A query that begins after a mutation was acknowledged, in whichever tab, sees its row. */
export function* staleRead(checked: Checked): Iterable<string> {
  const acknowledged = mutations(checked).filter(({ call }) => call.ends[0]?.kind === 'ok');
  for (const { invoke, invokedAt, ends } of checked.index.calls) {
    const seen = readRows(ends);
    if (seen === undefined) continue;
    const missing = acknowledged.find(({ call, row }) => call.endedAt < invokedAt && !seen.has(row.id));
    if (missing !== undefined)
      yield `${invoke.tab}: ${invoke.call.name} (${invoke.callId}) does not show row ${missing.row.id}, acknowledged before`;
  }
}

/** A query shows nothing that was asked for only after it had ended, nor what later is not there: reads are of commits. */
export function* dirtyRead(checked: Checked): Iterable<string> {
  const invokedAt = new Map(mutations(checked).map(({ call, row }) => [row.id, call.invokedAt]));
  const { rows } = checked.final;
  const kept = rows === undefined ? undefined : new Set(rows.map(({ id }) => id));
  for (const { invoke, endedAt, ends } of checked.index.calls) {
    for (const id of readRows(ends) ?? []) {
      const askedAt = invokedAt.get(id) ?? Infinity;
      if (askedAt > endedAt) yield `${invoke.tab}: ${invoke.callId} shows row ${id} before it was asked for`;
      else if (kept?.has(id) === false)
        yield `${invoke.tab}: ${invoke.callId} showed row ${id}, which is not there`;
    }
  }
}

function readRows(ends: SeenCall['ends']): ReadonlySet<string> | undefined {
  const [end] = ends;
  return end?.kind === 'ok' && end.value.rows !== undefined ? new Set(end.value.rows) : undefined;
}
