import type {
  AcceptCommandOptions,
  AcceptedCommand,
  ClaimCommandInput,
  ClaimNextInput,
  ClaimOutcome,
  ClaimedCommand,
  CommandEnvelope,
  CommandHeartbeatInput,
  CommandProgress,
  CommandProgressInput,
  CommandRecord,
  FinishCommandInput,
  RunnerCommandScope,
  RunnerFence,
} from '../../src/domain/command';
import type {
  ActivateOwner,
  AdvanceLocalDataVersionInput,
  AdvanceOwnershipTransferGenerationInput,
  AdvanceOwnershipTransferInput,
  BeginOwnershipTransferInput,
  BeginWorkspaceSwitchInput,
  CompleteOwnershipTransferInput,
  CompleteWorkspaceSwitchInput,
  CoordinatorState,
  FailOwnershipTransferInput,
  FailWorkspaceSwitchInput,
  RecoverAfterRestartOptions,
  RestartRecovery,
  ResumeInput,
} from '../../src/domain/coordinator-state';
import type { OwnershipMode, TransitionState } from '../../src/domain/coordinator-vocabulary';
import type { Database } from '../database';
import { acceptCommand } from './coordinator/accept-command';
import { findCommand } from './coordinator/command-rows';
import { beat, finishCommand, markRunning, readProgress, recordProgress } from './coordinator/finish-command';
import {
  advanceOwnershipTransfer,
  advanceOwnershipTransferGeneration,
  beginOwnershipTransfer,
  completeOwnershipTransfer,
  failOwnershipTransfer,
} from './coordinator/ownership-transfer';
import { pruneCommands } from './coordinator/prune-commands';
import { recoverAfterRestart } from './coordinator/restart-recovery';
import { resumeOwner } from './coordinator/resume-owner';
import { claimById, claimNext, listAccepted, recoverForRecreation } from './coordinator/runner-commands';
import { advanceDataVersion, readOrCreateState, updateState } from './coordinator/state-rows';
import {
  beginWorkspaceSwitch,
  completeWorkspaceSwitch,
  failWorkspaceSwitch,
} from './coordinator/workspace-switch';
import { listQuarantined, type QuarantinedRow } from './quarantine';
import { StoreCalls } from './store-call';

export interface CoordinatorStoreOptions {
  readonly database: Database;
  /** The present instant, ISO 8601 UTC with milliseconds. */
  readonly clock: () => string;
  /** Where claim tokens come from; random UUIDs where not given. */
  readonly newId?: (() => string) | undefined;
}

/**
 * The coordinator: which workspace is active, who owns its synchronisation under which generation, and the commands
 * that were asked of it. The generation is what makes late work harmless; it never falls.
 *
 * Every method is synchronous and runs whole or not at all, in one transaction; `advanceLocalDataVersion` alone runs in
 * its caller's. All state is in the database. Nothing to close.
 */
export class CoordinatorStore {
  readonly #calls: StoreCalls;
  readonly #database: Database;
  readonly #clock: () => string;

  constructor({ database, clock, newId = () => crypto.randomUUID() }: CoordinatorStoreOptions) {
    this.#database = database;
    this.#clock = clock;
    this.#calls = new StoreCalls({ database, clock, newId });
  }

  /** The state; made with its first values where it never was. @throws STATE_CORRUPT */
  readOrCreateState(): CoordinatorState {
    return this.#calls.run((call) => readOrCreateState(call));
  }

  /** Sets both as they are, for start-up; nothing else is checked or changed. */
  setLifecycleMode(ownershipMode: OwnershipMode, transitionState: TransitionState): CoordinatorState {
    return this.#calls.run((call) => {
      readOrCreateState(call);
      return updateState(call, { ownershipMode, transitionState });
    });
  }

  /**
   * Moves the version that tabs watch, in the transaction that writes the data: opens none of its own.
   * @throws STALE_GENERATION, INACTIVE_WORKSPACE
   */
  advanceLocalDataVersion(input: AdvanceLocalDataVersionInput): number {
    return advanceDataVersion(this.#database, input, this.#clock());
  }

  /**
   * Takes a command in. The same id and fingerprint always give the same record, whatever became of it.
   * @throws COMMAND_IDENTITY_CONFLICT; by the options STALE_GENERATION, INACTIVE_WORKSPACE, COMMAND_INVALID
   */
  acceptCommand(envelope: CommandEnvelope, options?: AcceptCommandOptions): AcceptedCommand {
    const accepted = this.#calls.run((call) => acceptCommand(call, envelope, options));
    this.#pruneByTheWay();
    return accepted;
  }

  readCommand(commandId: string): CommandRecord | null {
    return this.#calls.run((call) => findCommand(call, commandId)?.record ?? null);
  }

  /** What waits for a runner, in the order it is taken. */
  listAcceptedRunnerCommands(scope: RunnerCommandScope): readonly CommandRecord[] {
    return this.#calls.run((call) => listAccepted(call, scope));
  }

  /** @throws STALE_GENERATION, COMMAND_INVALID when this runner is not the owner's */
  claimNextRunnerCommand(input: ClaimNextInput): ClaimedCommand | null {
    return this.#calls.run((call) => claimNext(call, input));
  }

  /** @throws STALE_GENERATION, COMMAND_INVALID when this runner is not the owner's */
  claimCommandForExecution(input: ClaimCommandInput): ClaimOutcome {
    return this.#calls.run((call) => claimById(call, input));
  }

  /** How many running commands wait again. @throws STALE_GENERATION, COMMAND_INVALID */
  recoverRunnerCommandsForRecreation(fence: RunnerFence): number {
    return this.#calls.run((call) => recoverForRecreation(call, fence));
  }

  markCommandRunning(commandId: string): CommandRecord | null {
    return this.#calls.run((call) => markRunning(call, commandId));
  }

  /** @throws COMMAND_INVALID for another status, a transition's own command, or another claim's token */
  finishCommand(input: FinishCommandInput): CommandRecord | null {
    return this.#calls.run((call) => finishCommand(call, input));
  }

  /** A runner's report; a finished command takes none. @throws COMMAND_INVALID for another claim's token */
  recordCommandProgress(input: CommandProgressInput): CommandProgress | null {
    return this.#calls.run((call) => recordProgress(call, input));
  }

  /** A runner's sign of life. @throws COMMAND_INVALID for another claim's token */
  heartbeatCommand(input: CommandHeartbeatInput): CommandProgress | null {
    return this.#calls.run((call) => beat(call, input));
  }

  readCommandProgress(commandId: string): CommandProgress | null {
    return this.#calls.run((call) => readProgress(call, commandId));
  }

  /** Deletes one slice of old history; returns how many commands went. */
  pruneTerminalCommands(): number {
    return this.#calls.run((call) => pruneCommands(call));
  }

  /** @throws STALE_GENERATION, INACTIVE_WORKSPACE, COMMAND_INVALID */
  resumeBrowserGatewayAfterAuthenticatedRestart(input: ResumeInput): CoordinatorState {
    return this.#calls.run((call) => resumeOwner(call, input, 'browser-gateway'));
  }

  /** As the gateway's; `activate` runs in the same transaction. */
  resumeServerAfterAuthenticatedRestart(input: ResumeInput, activate?: ActivateOwner): CoordinatorState {
    return this.#calls.run((call) => resumeOwner(call, input, 'server', activate));
  }

  /** @throws STALE_GENERATION, INACTIVE_WORKSPACE, COMMAND_INVALID */
  beginOwnershipTransfer(input: BeginOwnershipTransferInput): CoordinatorState {
    return this.#calls.run((call) => beginOwnershipTransfer(call, input));
  }

  /** @throws STALE_GENERATION */
  advanceOwnershipTransfer(input: AdvanceOwnershipTransferInput): CoordinatorState {
    return this.#calls.run((call) => advanceOwnershipTransfer(call, input));
  }

  /** @throws STALE_GENERATION, DRAIN_INCOMPLETE */
  advanceOwnershipTransferGeneration(input: AdvanceOwnershipTransferGenerationInput): CoordinatorState {
    return this.#calls.run((call) => advanceOwnershipTransferGeneration(call, input));
  }

  /** @throws STALE_GENERATION, COMMAND_INVALID */
  completeOwnershipTransfer(
    input: CompleteOwnershipTransferInput,
    activate?: ActivateOwner,
  ): CoordinatorState {
    return this.#calls.run((call) => completeOwnershipTransfer(call, input, activate));
  }

  /** @throws STALE_GENERATION, COMMAND_INVALID, DRAIN_INCOMPLETE */
  failOwnershipTransfer(input: FailOwnershipTransferInput): CoordinatorState {
    return this.#calls.run((call) => failOwnershipTransfer(call, input));
  }

  /** @throws STALE_GENERATION, INACTIVE_WORKSPACE, DRAIN_INCOMPLETE */
  beginWorkspaceSwitch(input: BeginWorkspaceSwitchInput): CoordinatorState {
    return this.#calls.run((call) => beginWorkspaceSwitch(call, input));
  }

  /** @throws STALE_GENERATION, COMMAND_INVALID */
  completeWorkspaceSwitch(input: CompleteWorkspaceSwitchInput): CoordinatorState {
    return this.#calls.run((call) => completeWorkspaceSwitch(call, input));
  }

  /** @throws STALE_GENERATION */
  failWorkspaceSwitch(input: FailWorkspaceSwitchInput): CoordinatorState {
    return this.#calls.run((call) => failWorkspaceSwitch(call, input));
  }

  /** What a new writer does first. Never refuses: unreadable rows are quarantined and counted. */
  recoverAfterRestart(options?: RecoverAfterRestartOptions): RestartRecovery {
    return this.#calls.run((call) => recoverAfterRestart(call, options));
  }

  /** The rows that could not be read and were moved away, oldest first. */
  listQuarantined(limit: number): readonly QuarantinedRow[] {
    return listQuarantined(this.#database, limit);
  }

  /** In a transaction of its own, never in the caller's; whoever batches calls runs retention himself. */
  #pruneByTheWay(): void {
    if (this.#calls.isNested) return;
    try {
      this.pruneTerminalCommands();
    } catch {
      // Retention is tried again after the next command; this one has been accepted.
    }
  }
}
