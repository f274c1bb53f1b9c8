import {
  RUNNER_COMMAND_TYPES,
  type CommandType,
  type RunnerCommandType,
  type SupersedeReason,
} from './coordinator-vocabulary';

/**
 * What commands mean to each other. Equal requests that nobody has started yet are one (they *coalesce*), and a later
 * intent overrules an earlier one that it makes pointless.
 */

/** One type or two: what statements over command types take. */
export type OneOrTwoTypes = readonly [RunnerCommandType, RunnerCommandType?];

/** Runner commands of one class are the same request where their arguments are equal. */
const COALESCING_CLASSES: readonly OneOrTwoTypes[] = [
  ['Sync', 'Retry'],
  ['Repair'],
  ['EnableSync'],
  ['DisableSync'],
];

export interface Overruling {
  readonly overruled: OneOrTwoTypes;
  readonly reason: SupersedeReason;
}

/** What each runner command overrules when it arrives. */
export const OVERRULES = {
  EnableSync: [{ overruled: ['DisableSync'], reason: 'sync-enabled-before-disable' }],
  DisableSync: [
    { overruled: ['Sync', 'Retry'], reason: 'sync-disabled-before-reconcile' },
    { overruled: ['EnableSync'], reason: 'sync-disabled-before-enable' },
  ],
  Sync: [],
  Retry: [],
  Repair: [{ overruled: ['Sync', 'Retry'], reason: 'repair-replaces-reconcile' }],
} as const satisfies Record<RunnerCommandType, readonly Overruling[]>;

export function isRunnerCommandType(type: CommandType): type is RunnerCommandType {
  const runnerTypes: readonly CommandType[] = RUNNER_COMMAND_TYPES;
  return runnerTypes.includes(type);
}

/** The types that a command of this type coalesces with, its own included; undefined where it never does. */
export function findCoalescingClass(type: CommandType): OneOrTwoTypes | undefined {
  return COALESCING_CLASSES.find((members) => members.some((member) => member === type));
}

export function overruledBy(type: CommandType): readonly Overruling[] {
  return isRunnerCommandType(type) ? OVERRULES[type] : [];
}

/** The types whose later arrival overrules a command of this type, and why. */
export function overrulersOf(
  type: CommandType,
): readonly { readonly type: RunnerCommandType; readonly reason: SupersedeReason }[] {
  return RUNNER_COMMAND_TYPES.flatMap((later) =>
    overruledBy(later)
      .filter(({ overruled }) => overruled.some((earlier) => earlier === type))
      .map(({ reason }) => ({ type: later, reason })),
  );
}

/** The result of a command that an equal one stands for. */
export function toCoalescedResult(leaderCommandId: string) {
  return { disposition: 'coalesced', leaderCommandId } as const;
}

/** The result of a command that a later intent overruled. */
export function toSupersededResult(supersedingCommandId: string, reason: SupersedeReason) {
  return { disposition: 'superseded', supersedingCommandId, reason } as const;
}

/** The result of a command whose generation has passed. */
export function toOutdatedResult(coordinatorGeneration: number) {
  return { disposition: 'superseded', reason: 'generation-advanced', coordinatorGeneration } as const;
}
