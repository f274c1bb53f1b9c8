import type { RowNote } from './history-event';

/**
 * What is there when everything has quieted down. A part that is left out is not looked at, and neither are the rules
 * on it: leave out only what the world at hand does not have.
 */
export interface FinalState {
  /** The table that the mutations insert into, in the order of arrival. */
  readonly rows?: readonly RowNote[];
  /** What every living tab must have learned of by now. */
  readonly dataVersion?: number;
  readonly commands?: readonly FinalCommand[];
  readonly permits?: readonly FinalPermit[];
  /** Open obligations. */
  readonly obligations?: readonly { readonly obligationId: string; readonly permitId: string }[];
  /** Sessions whose page is alive. */
  readonly livingSessionIds?: readonly string[];
  readonly upstream?: FinalUpstream;
}

export interface FinalCommand {
  readonly commandId: string;
  readonly status: string;
}

export interface FinalPermit {
  readonly permitId: string;
  readonly state: string;
  /** Null for the writer's own. */
  readonly holderId: string | null;
}

export interface FinalUpstream {
  /** Each operation that came in: how often it changed something there. */
  readonly effects: readonly { readonly identity: string; readonly effects: number }[];
  /** What the pulls' committed cursor says was fetched, in order; what lies beyond it is left out. */
  readonly fetched?: readonly string[];
  /** What the apply handler of the pulls inserted here, and how often. */
  readonly applied?: readonly { readonly id: string; readonly times: number }[];
  /** What the apply handler of the pushes inserted here for each operation, and how often. */
  readonly echoed?: readonly { readonly identity: string; readonly times: number }[];
}

export const TERMINAL_PERMIT_STATES: readonly string[] = [
  'released',
  'abandoned-clean',
  'abandoned-reconcile-required',
];
export const TERMINAL_COMMAND_STATUSES: readonly string[] = ['succeeded', 'failed', 'superseded'];
