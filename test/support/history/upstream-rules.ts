import type { Checked } from './rule';

/** Rules on what the upstream did, and on what of it is here. */

/** Identities of pushes with what their tabs were told of them. */
function pushed({ index }: Checked): ReadonlyMap<string, ReadonlySet<string>> {
  const told = new Map<string, Set<string>>();
  for (const { invoke, ends } of index.calls) {
    for (const identity of invoke.call.operations ?? []) told.set(identity, told.get(identity) ?? new Set());
    const [end] = ends;
    if (end?.kind !== 'ok') continue;
    for (const { identity, outcome } of end.value.operations ?? []) told.get(identity)?.add(outcome);
  }
  return told;
}

const isAccepted = (told: ReadonlySet<string>): boolean =>
  told.has('accepted') || told.has('already-accepted');

export function* effectTwice({ final }: Checked): Iterable<string> {
  for (const { identity, effects } of final.upstream?.effects ?? [])
    if (effects > 1) yield `operation ${identity} took effect ${effects} times`;
}

export function* acceptedWithoutEffect(checked: Checked): Iterable<string> {
  const { upstream } = checked.final;
  if (upstream === undefined) return;
  const done = new Set(upstream.effects.flatMap(({ identity, effects }) => (effects > 0 ? [identity] : [])));
  for (const [identity, told] of pushed(checked))
    if (isAccepted(told) && !done.has(identity))
      yield `operation ${identity} was told accepted and had no effect`;
}

export function* effectFromNowhere(checked: Checked): Iterable<string> {
  const asked = pushed(checked);
  for (const { identity, effects } of checked.final.upstream?.effects ?? [])
    if (effects > 0 && !asked.has(identity)) yield `operation ${identity} took effect, and no tab pushed it`;
}

/** What the committed cursor says was fetched is here once, and nothing else is. */
export function* pullOnce({ final }: Checked): Iterable<string> {
  const { fetched, applied } = final.upstream ?? {};
  if (fetched === undefined || applied === undefined) return;
  const times = new Map(applied.map((row) => [row.id, row.times]));
  for (const id of fetched)
    if (!times.has(id)) yield `upstream row ${id} lies before the cursor and is not here`;
  const wanted = new Set(fetched);
  for (const [id, count] of times) {
    if (count !== 1) yield `upstream row ${id} was applied ${count} times`;
    if (!wanted.has(id)) yield `upstream row ${id} is here and lies beyond the cursor`;
  }
}

/** An accepted operation's echo is applied with its release: once, and only where the upstream took it. */
export function* echoOnce(checked: Checked): Iterable<string> {
  const { upstream } = checked.final;
  if (upstream?.echoed === undefined) return;
  const times = new Map(upstream.echoed.map((row) => [row.identity, row.times]));
  const done = new Set(upstream.effects.flatMap(({ identity, effects }) => (effects > 0 ? [identity] : [])));
  const calls = checked.index.calls.map(({ invoke }) => invoke.call);
  const silent = new Set(calls.flatMap((call) => (call.hasNoEcho === true ? (call.operations ?? []) : [])));
  for (const [identity, told] of pushed(checked))
    if (isAccepted(told) && !times.has(identity) && !silent.has(identity))
      yield `operation ${identity} was told accepted and its echo is not here`;
  for (const [identity, count] of times) {
    if (count !== 1) yield `the echo of operation ${identity} was applied ${count} times`;
    if (!done.has(identity)) yield `the echo of operation ${identity} is here, and it had no effect`;
  }
}
