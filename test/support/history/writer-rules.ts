import { TERMINAL_COMMAND_STATUSES, TERMINAL_PERMIT_STATES } from './final-state';
import type { Sight } from './history-event';
import type { Checked } from './rule';

/** Rules on what tabs see of the writer, and on what it leaves behind. */

function* sights({ index }: Checked): Iterable<{ readonly tab: string; readonly what: Sight }> {
  for (const event of index.events) if (event.kind === 'saw') yield { tab: event.tab, what: event.what };
}

export function* dataVersionFell(checked: Checked): Iterable<string> {
  const last = new Map<string, number>();
  for (const { tab, what } of sights(checked)) {
    if (what.dataVersion === undefined) continue;
    const before = last.get(tab) ?? 0;
    if (what.dataVersion < before) yield `${tab}: data version ${what.dataVersion} after ${before}`;
    last.set(tab, what.dataVersion);
  }
}

/** Every tab that lived on has been told of the last commit. */
export function* changeNotTold(checked: Checked): Iterable<string> {
  const { dataVersion } = checked.final;
  if (dataVersion === undefined) return;
  const last = new Map<string, number>();
  for (const { tab, what } of sights(checked)) last.set(tab, what.dataVersion ?? last.get(tab) ?? 0);
  for (const [tab, version] of last) {
    if (version !== dataVersion && !checked.index.goneAt.has(tab))
      yield `${tab}: knows of data version ${version}; it is ${dataVersion}`;
  }
}

export function* epochFell(checked: Checked): Iterable<string> {
  const last = new Map<string, number>();
  for (const { tab, what } of sights(checked)) {
    if (what.writer === undefined) continue;
    const before = last.get(tab) ?? 0;
    if (what.writer.epoch < before) yield `${tab}: epoch ${what.writer.epoch} after ${before}`;
    last.set(tab, what.writer.epoch);
  }
}

export function* epochShared(checked: Checked): Iterable<string> {
  const instances = new Map<number, string>();
  for (const { tab, what } of sights(checked)) {
    if (what.writer === undefined) continue;
    const { epoch, serverInstanceId } = what.writer;
    const known = instances.get(epoch) ?? serverInstanceId;
    if (known !== serverInstanceId)
      yield `${tab}: epoch ${epoch} belongs to ${known} and to ${serverInstanceId}`;
    instances.set(epoch, known);
  }
}

/** A command is admitted once. */
export function* commandTwice({ final }: Checked): Iterable<string> {
  const seen = new Set<string>();
  for (const { commandId } of final.commands ?? []) {
    if (seen.has(commandId)) yield `command ${commandId} is there twice`;
    seen.add(commandId);
  }
}

/** It ends, and everybody sees the same end of it. */
export function* commandEndsOnce(checked: Checked): Iterable<string> {
  const ends = new Map<string, string>();
  for (const { commandId, status } of checked.final.commands ?? []) {
    if (!TERMINAL_COMMAND_STATUSES.includes(status)) yield `command ${commandId} is still "${status}"`;
    else ends.set(commandId, status);
  }
  for (const { tab, what } of sights(checked)) {
    if (what.command === undefined || !TERMINAL_COMMAND_STATUSES.includes(what.command.status)) continue;
    const { commandId, status } = what.command;
    const known = ends.get(commandId) ?? status;
    if (known !== status) yield `${tab}: command ${commandId} ended "${status}", and also "${known}"`;
    ends.set(commandId, known);
  }
}

/** The permits of a tab that is gone are settled at once, not at their deadline. */
export function* permitOfTheDead({ final: { permits, livingSessionIds } }: Checked): Iterable<string> {
  if (permits === undefined || livingSessionIds === undefined) return;
  for (const { permitId, state, holderId } of permits) {
    if (holderId === null || TERMINAL_PERMIT_STATES.includes(state) || livingSessionIds.includes(holderId))
      continue;
    yield `permit ${permitId} is "${state}", and its tab (session ${holderId}) is gone`;
  }
}

/** After the last pull of each stream and the last push of each operation nothing is left to find out. */
export function* obligationOpen({ final }: Checked): Iterable<string> {
  for (const { obligationId, permitId } of final.obligations ?? [])
    yield `obligation ${obligationId} of permit ${permitId} is still open`;
}
