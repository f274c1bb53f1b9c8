import type { FinalState } from './final-state';
import type { HistoryIndex } from './history-index';

export interface Violation {
  /** The rule's id. */
  readonly rule: string;
  readonly message: string;
}

export interface CheckOptions {
  /** Codes with which any call of a tab that lived on may fail. A takeover is no reason to fail, so none by default. */
  readonly allowedCodes?: readonly string[];
  /** Past a call's bound, for the way of its answer. */
  readonly slackMs?: number;
}

export interface Checked extends Required<CheckOptions> {
  readonly index: HistoryIndex;
  readonly final: FinalState;
}

/** Says what is wrong, one message each. */
export type Rule = (checked: Checked) => Iterable<string>;
