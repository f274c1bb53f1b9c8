import type { CompletionGroup, PushGroup } from '../../src/domain/completion-group';
import type {
  AbandonForDrainInput,
  AbandonHolderInput,
  AbandonInput,
  AbandonmentCounts,
  AdoptPermitsInput,
  DrainAbandonment,
  DrainInspection,
  DrainScope,
  Fence,
  IssueInput,
  OwnedFence,
  Permit,
  PermitSummary,
  PriorRecovery,
  PrunedHistory,
  RecoverExpiredInput,
  RecoverPriorInput,
  RenewInput,
  RenewOptions,
  SettleInterruptedInput,
  TransitionInput,
} from '../../src/domain/permit';
import type {
  CommitBoundary,
  Obligation,
  RepairInspection,
  RepairResolution,
  ResolveDispatchInput,
  ResolveObligationsInput,
  ResolveRepairInput,
  SettleOvertakenInput,
} from '../../src/domain/recovery-obligation';
import type { Database } from '../database';

export interface PermitStoreOptions {
  readonly database: Database;
  /** The present instant, ISO 8601 UTC with milliseconds. */
  readonly clock: () => string;
  readonly newId: () => string;
}

export class PermitStore {
  constructor(options: PermitStoreOptions) {
    void options;
  }

  issue(_input: IssueInput): Permit {
    throw new Error('not built yet');
  }
  issueServer(_input: IssueInput): Permit {
    throw new Error('not built yet');
  }
  read(_permitId: string): Permit | null {
    throw new Error('not built yet');
  }
  summarize(_workspaceId: string): PermitSummary {
    throw new Error('not built yet');
  }
  transition(_input: TransitionInput): Permit {
    throw new Error('not built yet');
  }
  renew(_input: RenewInput, _options?: RenewOptions): Permit {
    throw new Error('not built yet');
  }
  release(_fence: Fence): Permit {
    throw new Error('not built yet');
  }
  abandonPermit(_input: AbandonInput): Permit {
    throw new Error('not built yet');
  }
  acknowledgeNonApplyingCompletion(_input: OwnedFence): Permit {
    throw new Error('not built yet');
  }
  enterLocalCommit(_fence: Fence): Permit {
    throw new Error('not built yet');
  }
  completeLocalCommit(_fence: Fence): Permit {
    throw new Error('not built yet');
  }
  enterLocalCommitGroup(_group: CompletionGroup): readonly Permit[] {
    throw new Error('not built yet');
  }
  completeLocalCommitGroup(_group: CompletionGroup, _apply: () => unknown): readonly Permit[] {
    throw new Error('not built yet');
  }
  completeAcceptedV3Dispatch<T>(
    _input: OwnedFence & { readonly operationIdentity: string },
    _apply: () => T,
  ): T {
    throw new Error('not built yet');
  }
  completeAcceptedPushEchoGroup<T>(_group: PushGroup, _apply: () => T): T {
    throw new Error('not built yet');
  }
  completeAcceptedPushWithoutEcho(_group: PushGroup): Permit {
    throw new Error('not built yet');
  }
  inspectGenerationDrain(_scope: DrainScope): DrainInspection {
    throw new Error('not built yet');
  }
  abandonNeverStartedForDrain(_input: AbandonForDrainInput): DrainAbandonment {
    throw new Error('not built yet');
  }
  recoverExpiredPermits(_input: RecoverExpiredInput): AbandonmentCounts {
    throw new Error('not built yet');
  }
  recoverPriorServerPermits(_input: RecoverPriorInput): PriorRecovery {
    throw new Error('not built yet');
  }
  adoptPermits(_input: AdoptPermitsInput): { readonly adopted: number } {
    throw new Error('not built yet');
  }
  abandonHolderPermits(_input: AbandonHolderInput): AbandonmentCounts {
    throw new Error('not built yet');
  }
  settleInterruptedLocalCommit(_input: SettleInterruptedInput): Permit {
    throw new Error('not built yet');
  }
  listOpenRecoveryObligations(_workspaceId: string): readonly Obligation[] {
    throw new Error('not built yet');
  }
  listResolvableRecoveryObligations(_group: CompletionGroup): readonly Obligation[] {
    throw new Error('not built yet');
  }
  resolveRecoveryObligations(
    _input: ResolveObligationsInput,
    _commitBoundary: CommitBoundary,
  ): readonly Obligation[] {
    throw new Error('not built yet');
  }
  resolveV3DispatchRecoveryObligations(_input: ResolveDispatchInput): readonly Obligation[] {
    throw new Error('not built yet');
  }
  inspectAuthoritativeRepairRecoveryObligations(_workspaceId: string): RepairInspection {
    throw new Error('not built yet');
  }
  resolveAuthoritativeRepairRecoveryObligations(_input: ResolveRepairInput): RepairResolution {
    throw new Error('not built yet');
  }
  settleOvertakenObligations(_input: SettleOvertakenInput): { readonly resolved: number } {
    throw new Error('not built yet');
  }
  pruneTerminalHistory(_limit?: number): PrunedHistory {
    throw new Error('not built yet');
  }
}
