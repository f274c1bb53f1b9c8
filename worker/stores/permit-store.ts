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
  OwnedFence,
  IssueInput,
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
import { abandonPermit } from './permits/abandon';
import { BlockedWorkspaces } from './permits/blocked-workspaces';
import {
  completeAcceptedDispatch,
  completeAcceptedPushEchoGroup,
  completeAcceptedPushWithoutEcho,
  type DispatchCompletion,
} from './permits/complete-mutation';
import { inspectGenerationDrain, listOpenObligations, summarizeWorkspace } from './permits/inspect-permits';
import { issuePermit } from './permits/issue-permit';
import {
  completeLocalCommit,
  completeLocalCommitGroup,
  enterLocalCommit,
  enterLocalCommitGroup,
} from './permits/local-commit';
import { findPermit } from './permits/permit-rows';
import { pruneHistory } from './permits/prune-history';
import {
  abandonHolder,
  abandonNeverStarted,
  adoptPermits,
  recoverExpired,
  recoverPrior,
} from './permits/recover-permits';
import { acknowledgePermit, releasePermit } from './permits/release';
import { inspectRepairable, resolveByRepair, resolveDispatches } from './permits/resolve-others';
import { listResolvableRefetches, resolveRefetches, settleOvertaken } from './permits/resolve-refetches';
import { settleInterruptedLocalCommit } from './permits/settle-interrupted';
import { renewPermit, transitionPermit } from './permits/transition-permit';
import { RetentionPace } from './retention';
import { StoreCalls } from './store-call';

export interface PermitStoreOptions {
  readonly database: Database;
  /** The present instant, ISO 8601 UTC with milliseconds. */
  readonly clock: () => string;
  readonly newId: () => string;
}

const RETENTION_INTERVAL_MS = 3_600_000;

/**
 * Execution permits and recovery obligations: a durable account of every upstream operation, so that none is lost,
 * repeated or half applied without a trace.
 *
 * Every method is synchronous and runs whole or not at all, in one transaction. All state is in the database, but for
 * which workspaces this writer found blocked, which `recoverPriorServerPermits` learns anew. Nothing to close.
 */
export class PermitStore {
  readonly #calls: StoreCalls;
  readonly #blocked = new BlockedWorkspaces();
  readonly #retention: RetentionPace;

  constructor(options: PermitStoreOptions) {
    this.#calls = new StoreCalls(options);
    this.#retention = new RetentionPace({
      nowMs: this.#calls.readNowMs(),
      intervalMs: RETENTION_INTERVAL_MS,
    });
  }

  /**
   * Issues a permit for a request that a tab makes. The same id and inputs always give the same permit.
   * @throws PERMIT_IDENTITY_CONFLICT, LOCAL_COMMIT_INVARIANT, PERMIT_EXPIRED, STALE_GENERATION, INACTIVE_WORKSPACE, PERMITS_DISABLED
   */
  issue(input: IssueInput): Permit {
    this.#pruneByTheWay();
    return this.#calls.run((call) => issuePermit(call, this.#blocked, input, 'browser-gateway'));
  }

  /** As `issue`, for a request that the runner beside the database makes. */
  issueServer(input: IssueInput): Permit {
    this.#pruneByTheWay();
    return this.#calls.run((call) => issuePermit(call, this.#blocked, input, 'server'));
  }

  read(permitId: string): Permit | null {
    return this.#calls.run((call) => findPermit(call, permitId));
  }

  summarize(workspaceId: string): PermitSummary {
    return this.#calls.run((call) => summarizeWorkspace(call, this.#blocked, workspaceId));
  }

  /**
   * Lets the request start, or records how it ended.
   * @throws fence codes, PERMIT_STATE_CONFLICT, PERMIT_IDENTITY_CONFLICT; for a start also the codes of `issue`'s entry
   */
  transition(input: TransitionInput): Permit {
    return this.#calls.run((call) => transitionPermit(call, input));
  }

  /** Puts the deadline of an active permit off; never nearer. @throws fence codes, PERMIT_EXPIRED */
  renew(input: RenewInput, options?: RenewOptions): Permit {
    return this.#calls.run((call) => renewPermit(call, input, options));
  }

  /** Ends a permit that needs nothing more. @throws fence codes, PERMIT_STATE_CONFLICT */
  release(fence: Fence): Permit {
    return this.#calls.run((call) => releasePermit(call, fence));
  }

  /** Gives a permit up; leaves an obligation where its fate is open. @throws fence codes, PERMIT_STATE_CONFLICT */
  abandonPermit(input: AbandonInput): Permit {
    return this.#calls.run((call) => abandonPermit(call, input));
  }

  /** Ends an accepted operation that has nothing to apply. @throws fence codes, identity and state conflicts */
  acknowledgeNonApplyingCompletion(input: OwnedFence): Permit {
    return this.#calls.run((call) => acknowledgePermit(call, input));
  }

  enterLocalCommit(fence: Fence): Permit {
    return this.#calls.run((call) => enterLocalCommit(call, this.#blocked, fence));
  }

  completeLocalCommit(fence: Fence): Permit {
    return this.#calls.run((call) => completeLocalCommit(call, this.#blocked, fence));
  }

  /** All or nothing; entering twice is a PERMIT_STATE_CONFLICT. */
  enterLocalCommitGroup(group: CompletionGroup): readonly Permit[] {
    return this.#calls.run((call) => enterLocalCommitGroup(call, this.#blocked, group));
  }

  /** Runs `apply` and releases the group in one transaction. `apply` must be synchronous (ASYNC_TRANSACTION). */
  completeLocalCommitGroup(group: CompletionGroup, apply: () => unknown): readonly Permit[] {
    return this.#calls.run((call) => completeLocalCommitGroup(call, this.#blocked, group, apply));
  }

  /** Enters, applies, settles the dispatch's open replays and releases, in one transaction. */
  completeAcceptedV3Dispatch<T>(input: DispatchCompletion, apply: () => T): T {
    return this.#calls.run((call) => completeAcceptedDispatch(call, this.#blocked, input, apply));
  }

  /** As the dispatch's, for pushes of one batch whose echo `apply` writes. */
  completeAcceptedPushEchoGroup<T>(group: PushGroup, apply: () => T): T {
    return this.#calls.run((call) => completeAcceptedPushEchoGroup(call, this.#blocked, group, apply));
  }

  completeAcceptedPushWithoutEcho(group: PushGroup): Permit {
    return this.#calls.run((call) => completeAcceptedPushWithoutEcho(call, this.#blocked, group));
  }

  /** @throws LIMIT_INVALID */
  inspectGenerationDrain(scope: DrainScope): DrainInspection {
    return this.#calls.run((call) => inspectGenerationDrain(call, scope));
  }

  /** @throws LIMIT_INVALID */
  abandonNeverStartedForDrain(input: AbandonForDrainInput): DrainAbandonment {
    return this.#calls.run((call) => abandonNeverStarted(call, input));
  }

  recoverExpiredPermits(input: RecoverExpiredInput): AbandonmentCounts {
    return this.#calls.run((call) => recoverExpired(call, input));
  }

  recoverPriorServerPermits(input: RecoverPriorInput): PriorRecovery {
    return this.#calls.run((call) => recoverPrior(call, this.#blocked, input));
  }

  adoptPermits(input: AdoptPermitsInput): { readonly adopted: number } {
    return this.#calls.run((call) => adoptPermits(call, input));
  }

  abandonHolderPermits(input: AbandonHolderInput): AbandonmentCounts {
    return this.#calls.run((call) => abandonHolder(call, input));
  }

  settleInterruptedLocalCommit(input: SettleInterruptedInput): Permit {
    return this.#calls.run((call) => settleInterruptedLocalCommit(call, input));
  }

  listOpenRecoveryObligations(workspaceId: string): readonly Obligation[] {
    return this.#calls.run((call) => listOpenObligations(call, workspaceId));
  }

  listResolvableRecoveryObligations(group: CompletionGroup): readonly Obligation[] {
    return this.#calls.run((call) => listResolvableRefetches(call, group));
  }

  resolveRecoveryObligations(
    input: ResolveObligationsInput,
    commitBoundary: CommitBoundary,
  ): readonly Obligation[] {
    return this.#calls.run((call) => resolveRefetches(call, input, commitBoundary));
  }

  resolveV3DispatchRecoveryObligations(input: ResolveDispatchInput): readonly Obligation[] {
    return this.#calls.run((call) => resolveDispatches(call, input));
  }

  inspectAuthoritativeRepairRecoveryObligations(workspaceId: string): RepairInspection {
    return this.#calls.run((call) => inspectRepairable(call, workspaceId));
  }

  resolveAuthoritativeRepairRecoveryObligations(input: ResolveRepairInput): RepairResolution {
    return this.#calls.run((call) => resolveByRepair(call, input));
  }

  settleOvertakenObligations(input: SettleOvertakenInput): { readonly resolved: number } {
    return this.#calls.run((call) => settleOvertaken(call, input));
  }

  /** Deletes old history, at most `limit` (250) of each kind. @throws LIMIT_INVALID */
  pruneTerminalHistory(limit?: number): PrunedHistory {
    return this.#calls.run((call) => pruneHistory(call, limit));
  }

  /** Once an hour, before an issue and in a transaction of its own; whoever batches calls runs retention himself. */
  #pruneByTheWay(): void {
    if (this.#calls.isNested) return;
    if (!this.#retention.isDue(this.#calls.readNowMs())) return;
    try {
      this.pruneTerminalHistory();
    } catch {
      // Retention is tried again in an hour; the issue must not fail for it.
    }
  }
}
