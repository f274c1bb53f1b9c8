import type { RequestedBy } from './coordinator-state';
import type { CommandStatus, CommandType, OwnerMode } from './coordinator-vocabulary';
import type { Json } from './json';

/** A durable, idempotent request to the coordinator, as its caller sends it. */
export interface CommandEnvelope {
  /** The idempotency key: the same id and fingerprint always give the same record. */
  readonly commandId: string;
  /** Null for a switch made while no workspace is active. */
  readonly workspaceId: string | null;
  readonly expectedCoordinatorGeneration: number;
  readonly type: CommandType;
  readonly version: number;
  readonly args: Json;
  /** The caller's hash over what the command means; a reused id with another one is refused. */
  readonly canonicalFingerprint: string;
  readonly requestedBy: RequestedBy;
  readonly requestedAt: string;
}

/** A command as it is stored. */
export interface CommandRecord extends Omit<CommandEnvelope, 'requestedBy'> {
  /** As it was given; null only where the stored text is no object. */
  readonly requestedBy: RequestedBy | null;
  readonly status: CommandStatus;
  /** When it first ran; kept when it goes back to accepted. */
  readonly startedAt: string | null;
  /** Set exactly while the status is terminal. */
  readonly completedAt: string | null;
  readonly result: Json;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly updatedAt: string;
}

export interface AcceptCommandOptions {
  /** Accept only in steady state, for the active workspace. */
  readonly requireActiveWorkspace?: boolean | undefined;
  /** With `requireActiveWorkspace`: only while the server owns synchronisation. */
  readonly requireServerOwnership?: boolean | undefined;
  /** Accept only where a switch away from `expectedActiveWorkspaceId` may begin. */
  readonly requireWorkspaceSwitchSource?: boolean | undefined;
  readonly expectedActiveWorkspaceId?: string | null | undefined;
}

export interface AcceptedCommand {
  readonly record: CommandRecord;
  /** Whether the id was known already and nothing was written. */
  readonly replayed: boolean;
}

export interface RunnerCommandScope {
  readonly workspaceId: string;
  readonly coordinatorGeneration: number;
}

/** The fence of a runner; `ownerMode` defaults to `server`. */
export interface RunnerFence extends RunnerCommandScope {
  readonly ownerMode?: OwnerMode | undefined;
}

export interface ClaimNextInput extends RunnerFence {
  /** Whether the upstream can be reached with credentials now; without, only EnableSync and DisableSync are taken. */
  readonly cloudCapabilityAvailable: boolean;
  /** Ask for a claim token, which finish, progress and heartbeat of this command then need. */
  readonly withToken?: boolean | undefined;
}

export interface ClaimCommandInput extends RunnerFence {
  readonly commandId: string;
  readonly withToken?: boolean | undefined;
}

/** A claimed record; `claimToken` is there only where the claim asked for one. */
export interface ClaimedCommand extends CommandRecord {
  readonly claimToken?: string;
}

export interface ClaimOutcome {
  /** The stored row, claimed or not; null where the id is unknown. */
  readonly record: ClaimedCommand | null;
  readonly claimed: boolean;
}

export interface FinishCommandInput {
  readonly commandId: string;
  readonly status: 'succeeded' | 'failed';
  readonly result?: Json | undefined;
  readonly errorCode?: string | null | undefined;
  readonly errorMessage?: string | null | undefined;
  readonly claimToken?: string | undefined;
}

export interface CommandProgressInput {
  readonly commandId: string;
  readonly progress: Json;
  readonly claimToken?: string | undefined;
}

export interface CommandHeartbeatInput {
  readonly commandId: string;
  readonly claimToken?: string | undefined;
}

/** Life signs of a running command. */
export interface CommandProgress {
  readonly commandId: string;
  /** What the runner last reported; null before that. */
  readonly progress: Json;
  readonly heartbeatAt: string | null;
}
