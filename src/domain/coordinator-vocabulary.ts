/** The closed sets of the coordinator. Types, CHECKs in the schema, decoders and tests are all made from these. */

/** Who may talk to the upstream in steady state. */
export const OWNER_MODES = ['browser-gateway', 'server'] as const;
export type OwnerMode = (typeof OWNER_MODES)[number];

/** What the coordinator row says about ownership, moments of change included. */
export const OWNERSHIP_MODES = [
  'stopped',
  ...OWNER_MODES,
  'transitioning-workspace',
  'transitioning-to-server',
  'transitioning-to-browser',
] as const;
export type OwnershipMode = (typeof OWNERSHIP_MODES)[number];

export const TRANSITION_STATES = ['idle', 'switching-workspace', 'transferring-ownership'] as const;
export type TransitionState = (typeof TRANSITION_STATES)[number];

/** The phases of an ownership transfer, in the order of their edges; `transfer-machine` holds the edges. */
export const TRANSFER_PHASES = [
  'preparing',
  'draining',
  'generation-advanced',
  'starting-target',
  'stopping-source',
  'committing',
] as const;
export type TransferPhase = (typeof TRANSFER_PHASES)[number];

/** Where a failed transfer may leave ownership. */
export const FALLBACK_MODES = [...OWNER_MODES, 'stopped'] as const;
export type FallbackMode = (typeof FALLBACK_MODES)[number];

/** Commands a runner claims and executes. */
export const RUNNER_COMMAND_TYPES = ['EnableSync', 'DisableSync', 'Sync', 'Retry', 'Repair'] as const;
export type RunnerCommandType = (typeof RUNNER_COMMAND_TYPES)[number];

/** Commands the coordinator's own transitions settle. */
export const TRANSITION_COMMAND_TYPES = ['TransferOwnership', 'SwitchWorkspace'] as const;

export const COMMAND_TYPES = [...RUNNER_COMMAND_TYPES, ...TRANSITION_COMMAND_TYPES] as const;
export type CommandType = (typeof COMMAND_TYPES)[number];

export const TERMINAL_COMMAND_STATUSES = ['succeeded', 'failed', 'superseded'] as const;
export type TerminalCommandStatus = (typeof TERMINAL_COMMAND_STATUSES)[number];

export const COMMAND_STATUSES = ['accepted', 'running', ...TERMINAL_COMMAND_STATUSES] as const;
export type CommandStatus = (typeof COMMAND_STATUSES)[number];

/** How one command overruled another; stored in the overruled one's result. */
export const SUPERSEDE_REASONS = [
  'repair-replaces-reconcile',
  'sync-disabled-before-reconcile',
  'sync-disabled-before-enable',
  'sync-enabled-before-disable',
] as const;
export type SupersedeReason = (typeof SUPERSEDE_REASONS)[number];
