import * as calls from './call-rules';
import type { FinalState } from './final-state';
import type { HistoryEvent } from './history-event';
import { indexHistory } from './history-index';
import * as rows from './row-rules';
import type { CheckOptions, Rule, Violation } from './rule';
import * as upstream from './upstream-rules';
import * as writer from './writer-rules';

/** Every rule by its id. */
export const RULES = {
  'call-hangs': calls.callHangs,
  'call-ends-twice': calls.callEndsTwice,
  'call-late': calls.callLate,
  'stray-end': calls.strayEnd,
  ghost: calls.ghost,
  'survivor-failed': calls.survivorFailed,
  'acknowledged-lost': rows.acknowledgedLost,
  'row-twice': rows.rowTwice,
  'failed-but-done': rows.failedButDone,
  'row-from-nowhere': rows.rowFromNowhere,
  'order-lost': rows.orderLost,
  'stale-read': rows.staleRead,
  'dirty-read': rows.dirtyRead,
  'effect-twice': upstream.effectTwice,
  'accepted-without-effect': upstream.acceptedWithoutEffect,
  'effect-from-nowhere': upstream.effectFromNowhere,
  'pull-once': upstream.pullOnce,
  'echo-once': upstream.echoOnce,
  'data-version-fell': writer.dataVersionFell,
  'change-not-told': writer.changeNotTold,
  'epoch-fell': writer.epochFell,
  'epoch-shared': writer.epochShared,
  'command-twice': writer.commandTwice,
  'command-ends-once': writer.commandEndsOnce,
  'permit-of-the-dead': writer.permitOfTheDead,
  'obligation-open': writer.obligationOpen,
} as const satisfies Readonly<Record<string, Rule>>;
export type RuleId = keyof typeof RULES;

/**
 * What in a history of all tabs, and in what they left behind, breaks a promise of the library. Empty: nothing.
 * @example expect(checkHistory(recorder.events, { rows, upstream })).toEqual([]);
 */
export function checkHistory(
  events: readonly HistoryEvent[],
  final: FinalState,
  { allowedCodes = [], slackMs = 0 }: CheckOptions = {},
): readonly Violation[] {
  const checked = { index: indexHistory(events), final, allowedCodes, slackMs };
  return Object.entries(RULES).flatMap(([rule, check]) =>
    [...check(checked)].map((message): Violation => ({ rule, message })),
  );
}
