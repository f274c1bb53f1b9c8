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

export interface CoordinatorStoreOptions {
  readonly database: Database;
  /** The present instant, ISO 8601 UTC with milliseconds. */
  readonly clock: () => string;
  /** Where claim tokens come from; random UUIDs where not given. */
  readonly newId?: (() => string) | undefined;
}

export class CoordinatorStore {
  constructor(options: CoordinatorStoreOptions) {
    void options;
  }

  readOrCreateState(): CoordinatorState {
    throw new Error('not built yet');
  }
  setLifecycleMode(_ownershipMode: OwnershipMode, _transitionState: TransitionState): CoordinatorState {
    throw new Error('not built yet');
  }
  advanceLocalDataVersion(_input: AdvanceLocalDataVersionInput): number {
    throw new Error('not built yet');
  }
  resumeBrowserGatewayAfterAuthenticatedRestart(_input: ResumeInput): CoordinatorState {
    throw new Error('not built yet');
  }
  resumeServerAfterAuthenticatedRestart(_input: ResumeInput, _activate?: ActivateOwner): CoordinatorState {
    throw new Error('not built yet');
  }
  acceptCommand(_envelope: CommandEnvelope, _options?: AcceptCommandOptions): AcceptedCommand {
    throw new Error('not built yet');
  }
  readCommand(_commandId: string): CommandRecord | null {
    throw new Error('not built yet');
  }
  listAcceptedRunnerCommands(_scope: RunnerCommandScope): readonly CommandRecord[] {
    throw new Error('not built yet');
  }
  claimNextRunnerCommand(_input: ClaimNextInput): ClaimedCommand | null {
    throw new Error('not built yet');
  }
  claimCommandForExecution(_input: ClaimCommandInput): ClaimOutcome {
    throw new Error('not built yet');
  }
  recoverRunnerCommandsForRecreation(_fence: RunnerFence): number {
    throw new Error('not built yet');
  }
  markCommandRunning(_commandId: string): CommandRecord | null {
    throw new Error('not built yet');
  }
  finishCommand(_input: FinishCommandInput): CommandRecord | null {
    throw new Error('not built yet');
  }
  recordCommandProgress(_input: CommandProgressInput): CommandProgress | null {
    throw new Error('not built yet');
  }
  heartbeatCommand(_input: CommandHeartbeatInput): CommandProgress | null {
    throw new Error('not built yet');
  }
  readCommandProgress(_commandId: string): CommandProgress | null {
    throw new Error('not built yet');
  }
  pruneTerminalCommands(): number {
    throw new Error('not built yet');
  }
  beginOwnershipTransfer(_input: BeginOwnershipTransferInput): CoordinatorState {
    throw new Error('not built yet');
  }
  advanceOwnershipTransfer(_input: AdvanceOwnershipTransferInput): CoordinatorState {
    throw new Error('not built yet');
  }
  advanceOwnershipTransferGeneration(_input: AdvanceOwnershipTransferGenerationInput): CoordinatorState {
    throw new Error('not built yet');
  }
  completeOwnershipTransfer(
    _input: CompleteOwnershipTransferInput,
    _activate?: ActivateOwner,
  ): CoordinatorState {
    throw new Error('not built yet');
  }
  failOwnershipTransfer(_input: FailOwnershipTransferInput): CoordinatorState {
    throw new Error('not built yet');
  }
  beginWorkspaceSwitch(_input: BeginWorkspaceSwitchInput): CoordinatorState {
    throw new Error('not built yet');
  }
  completeWorkspaceSwitch(_input: CompleteWorkspaceSwitchInput): CoordinatorState {
    throw new Error('not built yet');
  }
  failWorkspaceSwitch(_input: FailWorkspaceSwitchInput): CoordinatorState {
    throw new Error('not built yet');
  }
  recoverAfterRestart(_options?: RecoverAfterRestartOptions): RestartRecovery {
    throw new Error('not built yet');
  }
}
