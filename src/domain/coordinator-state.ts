import type {
  FallbackMode,
  OwnerMode,
  OwnershipMode,
  TransferPhase,
  TransitionState,
} from './coordinator-vocabulary';
import type { Json } from './json';

/** On whose behalf a command or transition was asked for. A type and no interface, so that it is Json, as it is stored. */
export type RequestedBy = {
  readonly userId: string;
  readonly tenantId: string;
};

/** How the last ownership transfer ended; Json too. */
export type TerminalTransfer = {
  readonly commandId: string;
  readonly status: 'succeeded' | 'failed';
  readonly sourceMode: OwnerMode;
  readonly targetMode: OwnerMode;
  readonly sourceGeneration: number;
  /** Always the source's + 1, whether or not the transfer came that far. */
  readonly targetGeneration: number;
  readonly completedAt: string;
  readonly errorCode: string | null;
  /** The phase in which it failed; null where it succeeded. */
  readonly errorPhase: TransferPhase | null;
};

/** The one coordinator row. The accepted/target/transfer fields are set only while their transition runs. */
export interface CoordinatorState {
  /** Null until a first workspace was switched to. */
  readonly activeWorkspaceId: string | null;
  /** Grows whenever ownership or the active workspace changes hands; never falls. */
  readonly coordinatorGeneration: number;
  /** Moves in the transaction of every local write, for tabs to watch. */
  readonly localDataVersion: number;
  readonly ownershipMode: OwnershipMode;
  /** The owner to resume after a restart. */
  readonly desiredOwnershipMode: OwnerMode;
  readonly transitionState: TransitionState;
  readonly acceptedSwitchCommandId: string | null;
  readonly targetWorkspaceId: string | null;
  readonly requestedBy: RequestedBy | null;
  /** What the last switch left; null while one runs, or where it left nothing. */
  readonly terminalSwitchResult: Json;
  readonly terminalTransferResult: TerminalTransfer | null;
  readonly acceptedTransferCommandId: string | null;
  readonly transferTargetMode: OwnerMode | null;
  readonly transferPhase: TransferPhase | null;
  readonly transferVersion: number | null;
  readonly updatedAt: string;
}

export interface AdvanceLocalDataVersionInput {
  readonly workspaceId: string;
  readonly expectedCoordinatorGeneration: number;
}

export type ResumeInput = AdvanceLocalDataVersionInput;

export interface BeginOwnershipTransferInput {
  readonly commandId: string;
  readonly expectedGeneration: number;
  readonly workspaceId: string;
  readonly targetMode: OwnerMode;
  readonly version: number;
  readonly requestedBy: RequestedBy;
}

export interface AdvanceOwnershipTransferInput {
  readonly commandId: string;
  readonly expectedPhase: TransferPhase;
  readonly nextPhase: TransferPhase;
}

export interface AdvanceOwnershipTransferGenerationInput {
  readonly commandId: string;
  readonly expectedSourceGeneration: number;
}

export interface CompleteOwnershipTransferInput {
  readonly commandId: string;
  readonly targetMode: OwnerMode;
}

export interface FailOwnershipTransferInput {
  readonly commandId: string;
  readonly fallbackMode: FallbackMode;
  readonly errorCode: string;
  readonly errorMessage: string;
}

export interface BeginWorkspaceSwitchInput {
  readonly commandId: string;
  readonly expectedGeneration: number;
  readonly expectedActiveWorkspaceId: string | null;
  readonly targetWorkspaceId: string;
  readonly requestedBy: RequestedBy;
}

export interface CompleteWorkspaceSwitchInput {
  readonly commandId: string;
  readonly targetWorkspaceId: string;
  /** Kept on the state as the switch's result; none reads as null. */
  readonly terminalResult?: Json | undefined;
  /** Runs inside the transaction that makes the target active; a throw undoes the switch. Must be synchronous. */
  readonly activateTargetForCommit?: ((state: CoordinatorState) => unknown) | undefined;
}

export interface FailWorkspaceSwitchInput {
  readonly commandId: string;
  readonly errorCode: string;
  readonly errorMessage: string;
}

export interface RecoverAfterRestartOptions {
  /** What becomes of runner commands nobody has started: `fail` (the default) or `keep`. */
  readonly neverStarted?: 'fail' | 'keep' | undefined;
}

export interface RestartRecovery {
  readonly state: CoordinatorState;
  /** How many commands recovery failed. */
  readonly interruptedCommandCount: number;
  /** How many unreadable rows recovery moved to quarantine. */
  readonly quarantinedCount: number;
}

/** Called with the new state inside the transaction that makes it so; a throw undoes it. Must be synchronous. */
export type ActivateOwner = (state: CoordinatorState) => unknown;
