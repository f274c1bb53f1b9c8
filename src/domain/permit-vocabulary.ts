/** The closed sets of execution permits and recovery obligations. */

export const OPERATION_CLASSES = [
  'handshake',
  'bootstrap',
  'pull',
  'push',
  'repair',
  'v3-dispatch',
  'local-apply',
] as const;
export type OperationClass = (typeof OPERATION_CLASSES)[number];

/** Their accepted answer is applied to local tables, in groups. */
export const APPLYING_CLASSES = ['pull', 'repair'] as const satisfies readonly OperationClass[];
/** Their answer is only acknowledged. */
export const NON_APPLYING_CLASSES = [
  'handshake',
  'bootstrap',
  'push',
] as const satisfies readonly OperationClass[];
/** They change the upstream, so each needs an operation identity before it goes out. */
export const MUTATION_CLASSES = ['push', 'v3-dispatch'] as const satisfies readonly OperationClass[];

/** What is known of a request's fate upstream. */
export const UPSTREAM_DISPOSITIONS = ['not-started', 'unknown', 'accepted', 'rejected'] as const;
export type UpstreamDisposition = (typeof UPSTREAM_DISPOSITIONS)[number];

export const ACTIVE_PERMIT_STATES = [
  'issued-idle',
  'gateway-in-flight',
  'gateway-complete-awaiting-apply',
  'local-commit-entered',
] as const;
export type ActivePermitState = (typeof ACTIVE_PERMIT_STATES)[number];

export const TERMINAL_PERMIT_STATES = [
  'released',
  'abandoned-clean',
  'abandoned-reconcile-required',
] as const;
export type TerminalPermitState = (typeof TERMINAL_PERMIT_STATES)[number];

export const PERMIT_STATES = [...ACTIVE_PERMIT_STATES, ...TERMINAL_PERMIT_STATES] as const;
export type PermitState = (typeof PERMIT_STATES)[number];

/** What must be done about an operation whose fate or local apply is unsettled. */
export const REQUIRED_ACTIONS = ['replay-operation-then-reconcile', 'refetch-from-committed-cursor'] as const;
export type RequiredAction = (typeof REQUIRED_ACTIONS)[number];

/** The stream of permits and cursors that names none. */
export const DEFAULT_STREAM = 'main';

/** How an apply that was cut short is known to have ended. */
export type InterruptedCommitOutcome = 'committed' | 'not-committed';
