import type { OwnerMode } from './coordinator-vocabulary';
import type { Json } from './json';
import type {
  ActivePermitState,
  InterruptedCommitOutcome,
  OperationClass,
  PermitState,
  UpstreamDisposition,
} from './permit-vocabulary';

/** A durable lease for one upstream operation. */
export interface Permit {
  readonly permitId: string;
  readonly workspaceId: string;
  readonly coordinatorGeneration: number;
  /** The writer's life it belongs to; adoption by a new writer changes it. */
  readonly serverInstanceId: string;
  readonly ownerMode: OwnerMode;
  readonly operationClass: OperationClass;
  /** Set once, on mutations only; null until then. */
  readonly operationIdentity: string | null;
  readonly lastCommittedCursor: Json;
  readonly state: PermitState;
  readonly upstreamDisposition: UpstreamDisposition | null;
  readonly issuedAt: string;
  readonly deadlineAt: string;
  readonly lastTransitionAt: string;
  /** Set exactly while the state is terminal. */
  readonly completedAt: string | null;
  readonly errorCode: string | null;
  /** The tab session it was issued for; null for the worker's own. */
  readonly holderId: string | null;
  readonly stream: string;
  /** What settled an interrupted local commit; null otherwise. */
  readonly settlementEvidence: Json;
}

/** Which permit, and under which admission, a caller believes to hold. Checked before anything else. */
export interface Fence {
  readonly permitId: string;
  readonly workspaceId: string;
  readonly coordinatorGeneration: number;
  readonly serverInstanceId: string;
}

export interface IssueInput {
  /** The idempotency key; taken from the id source where not given. */
  readonly permitId?: string | null | undefined;
  readonly workspaceId: string;
  readonly coordinatorGeneration: number;
  readonly serverInstanceId: string;
  readonly operationClass: OperationClass;
  readonly operationIdentity?: string | null | undefined;
  readonly lastCommittedCursor?: Json | undefined;
  /** ISO 8601, any offset; stored in UTC. */
  readonly deadlineAt: string;
  readonly holderId?: string | null | undefined;
  /** Defaults to `main`. */
  readonly stream?: string | undefined;
}

export interface TransitionInput extends Fence {
  readonly expectedState: PermitState;
  readonly nextState: PermitState;
  readonly operationIdentity?: string | null | undefined;
  readonly upstreamDisposition?: UpstreamDisposition | null | undefined;
  readonly errorCode?: string | null | undefined;
}

export interface OwnedFence extends Fence {
  readonly ownerMode: OwnerMode;
}

export interface AbandonInput extends Fence {
  readonly errorCode?: string | null | undefined;
}

export interface RenewInput extends Fence {
  readonly deadlineAt: string;
}

export interface RenewOptions {
  /** Milliseconds by which the wall clock jumped forward unnoticed by the holder; not counted against the permit. */
  readonly forgivenMs?: number | undefined;
}

export interface SettleInterruptedInput {
  readonly workspaceId: string;
  readonly permitId: string;
  readonly outcome: InterruptedCommitOutcome;
  readonly evidence: Json;
}

export interface PermitSummary {
  /** Non-terminal permits of the workspace. */
  readonly active: number;
  /** Only states that occur. */
  readonly byState: Readonly<Partial<Record<ActivePermitState, number>>>;
  /** Open obligations of the workspace. */
  readonly recoveryObligations: number;
  /** Whether a local commit of an earlier writer blocks the workspace. */
  readonly localCommitInvariantViolation: boolean;
}

export interface DrainScope {
  readonly workspaceId: string;
  readonly coordinatorGeneration: number;
  /** 1 to 500; 100 where not given. */
  readonly limit?: number | undefined;
}

export interface AbandonForDrainInput extends DrainScope {
  readonly errorCode?: string | null | undefined;
}

export interface DrainInspection {
  readonly workspaceId: string;
  readonly coordinatorGeneration: number;
  readonly active: number;
  readonly byState: Readonly<Partial<Record<ActivePermitState, number>>>;
  /** The oldest active permits, at most `limit`. */
  readonly permits: readonly Permit[];
  readonly truncated: boolean;
  /** Permits that never started, so that they can be abandoned clean. */
  readonly cleanAbandonEligible: number;
  /** Open obligations whose permit has this generation. */
  readonly recoveryObligations: number;
}

export interface DrainAbandonment {
  readonly abandonedPermitIds: readonly string[];
  readonly remainingEligible: number;
}

export interface RecoverExpiredInput {
  readonly currentServerInstanceId: string;
  readonly workspaceId: string;
  readonly excludePermitIds?: readonly string[] | undefined;
}

export interface RecoverPriorInput {
  readonly currentServerInstanceId: string;
  readonly workspaceId?: string | null | undefined;
}

export interface AdoptPermitsInput {
  readonly currentServerInstanceId: string;
  readonly holderIds: readonly string[];
}

export interface AbandonHolderInput {
  readonly holderId: string;
  readonly currentServerInstanceId: string;
}

export interface AbandonmentCounts {
  readonly clean: number;
  readonly reconcileRequired: number;
}

export interface PriorRecovery extends AbandonmentCounts {
  /** Permits left in local commit by an earlier writer; their workspaces are blocked until these are settled. */
  readonly localCommitPending: number;
}

export interface PrunedHistory {
  readonly permits: number;
  readonly obligations: number;
}
