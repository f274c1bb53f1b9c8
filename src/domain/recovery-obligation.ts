import type { CompletionGroup } from './completion-group';
import type { OwnerMode } from './coordinator-vocabulary';
import type { Json } from './json';
import type { OperationClass, RequiredAction, UpstreamDisposition } from './permit-vocabulary';

/** A durable note that an operation ended unsettled, and what must be done about it. Resolved once, with evidence. */
export interface Obligation {
  readonly obligationId: string;
  readonly permitId: string;
  readonly workspaceId: string;
  readonly operationClass: OperationClass;
  readonly operationIdentity: string | null;
  readonly upstreamDisposition: UpstreamDisposition;
  readonly lastCommittedCursor: Json;
  readonly requiredAction: RequiredAction;
  readonly createdAt: string;
  /** Null while open. */
  readonly resolvedAt: string | null;
  /** The evidence that settled it. */
  readonly resolvedBoundary: Json;
  readonly stream: string;
}

export interface ResolveObligationsInput {
  readonly completionGroup: CompletionGroup;
  readonly obligationIds: readonly string[];
}

/** Commits the boundary inside the resolving transaction and returns what it committed. Must be synchronous. */
export type CommitBoundary = (boundaries: {
  readonly previousBoundary: Json;
  readonly expectedBoundary: Json;
}) => Json | undefined;

export interface OwnedScope {
  readonly workspaceId: string;
  readonly coordinatorGeneration: number;
  readonly ownerMode: OwnerMode;
}

export interface DispatchResolution {
  readonly obligationId: string;
  readonly operationIdentity: string;
  readonly resolvedBoundary: Json;
}

export interface ResolveDispatchInput extends OwnedScope {
  readonly resolutions: readonly DispatchResolution[];
}

export interface RepairInspection {
  readonly total: number;
  /** Whether a push must be replayed before a repair can settle everything. */
  readonly requiresV2PushReplay: boolean;
}

export interface ResolveRepairInput extends OwnedScope {
  readonly repairId: string;
  readonly stateSignatureSha256: string;
}

export interface RepairResolution {
  readonly resolved: number;
  /** Open obligations of any class that are left in the workspace. */
  readonly remaining: number;
}

export interface SettleOvertakenInput extends OwnedScope {
  readonly stream: string;
}
