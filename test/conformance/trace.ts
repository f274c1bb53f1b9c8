/** A recorded run of the stores: what was called, when, and what came of it. */
export interface Trace {
  readonly format: 1;
  readonly name: string;
  readonly steps: readonly Step[];
  /** The rows of the tables at the end; null where they are not compared. */
  readonly final: Readonly<Record<string, readonly unknown[] | null>> | null;
}

export interface Step {
  /** The clock's value during the step; a step of a callback or a repetition takes it from outside. */
  readonly now?: string;
  readonly op: string;
  readonly args?: readonly unknown[];
  readonly callback?: Callback;
  readonly input?: unknown;
  readonly expect?: Expectation;
  /** In a callback: an expected error ends here instead of going on to the caller. */
  readonly swallow?: boolean;
  /** In a callback that must not be called. */
  readonly unreached?: boolean;
}

export type Expectation = { readonly result: unknown } | { readonly error: { readonly code: string } };

export interface Callback {
  readonly steps?: readonly Step[];
  readonly throws?: boolean;
  readonly promise?: boolean;
  readonly value?: unknown;
}

export interface Repetition {
  readonly times: number;
  readonly stepMs: number;
  readonly steps: readonly Step[];
}

export interface RunnerStateInput {
  readonly workspaceId: string;
  readonly runnerId: string;
  readonly coordinatorGeneration: number;
}

/** The five tables, each with the columns its rows are ordered by. */
export const TABLES = {
  local_sync_coordinator_state: ['coordinator_id', 'active_workspace_id'],
  local_sync_coordinator_commands: ['command_id', 'workspace_id'],
  local_workspace_sync_runner_state: ['workspace_id', 'runner_id'],
  local_sync_execution_permits: ['permit_id', 'workspace_id'],
  local_sync_recovery_obligations: ['obligation_id', 'permit_id'],
} as const;
