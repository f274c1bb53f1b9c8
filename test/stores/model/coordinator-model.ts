import type {
  AdvanceOwnershipTransferInput,
  BeginOwnershipTransferInput,
  BeginWorkspaceSwitchInput,
  CompleteOwnershipTransferInput,
  CompleteWorkspaceSwitchInput,
  FailOwnershipTransferInput,
  FailWorkspaceSwitchInput,
  TerminalTransfer,
} from '../../../src/domain/coordinator-state';
import type { Json } from '../../../src/domain/json';
import { CommandModel, PREFIX, isOpen, isOwner, isRunner } from './command-model';
import { isActive, isSame, refuseIf, type ModelState } from './world';

/** The coordinator: transfers, switches and restarts, told again from their rules. */
export class CoordinatorModel extends CommandModel {
  beginTransfer(input: BeginOwnershipTransferInput): ModelState {
    const state = this.state();
    refuseIf(state.coordinatorGeneration !== input.expectedGeneration, 'STALE_GENERATION');
    refuseIf(state.activeWorkspaceId !== input.workspaceId, 'INACTIVE_WORKSPACE');
    const mayBegin =
      state.transitionState === 'idle' &&
      isOwner(state.ownershipMode) &&
      state.ownershipMode !== input.targetMode;
    refuseIf(!mayBegin, 'STALE_GENERATION');
    const command = this.find(input.commandId);
    const isIts =
      command?.status === 'accepted' &&
      command.type === 'TransferOwnership' &&
      command.version === input.version &&
      command.workspaceId === input.workspaceId &&
      command.expectedCoordinatorGeneration === input.expectedGeneration &&
      isSame(command.args, { targetMode: input.targetMode }) &&
      isSame({ ...command.requestedBy }, { ...input.requestedBy });
    refuseIf(!isIts, 'COMMAND_INVALID');
    if (command !== undefined) this.start(command);
    return this.touch({
      ownershipMode: input.targetMode === 'server' ? 'transitioning-to-server' : 'transitioning-to-browser',
      transitionState: 'transferring-ownership',
      requestedBy: input.requestedBy,
      terminalTransferResult: null,
      acceptedTransferCommandId: input.commandId,
      transferTargetMode: input.targetMode,
      transferPhase: 'preparing',
      transferVersion: input.version,
    });
  }

  advanceTransfer({ commandId, expectedPhase, nextPhase }: AdvanceOwnershipTransferInput): ModelState {
    const state = this.state();
    const middle = state.transferTargetMode === 'server' ? 'starting-target' : 'stopping-source';
    const edges = ['preparing draining', `generation-advanced ${middle}`, `${middle} committing`];
    const isEdge =
      state.acceptedTransferCommandId === commandId &&
      state.transferPhase === expectedPhase &&
      edges.includes(`${expectedPhase} ${nextPhase}`);
    refuseIf(!isEdge, 'STALE_GENERATION');
    return this.touch({ transferPhase: nextPhase });
  }

  advanceTransferGeneration(commandId: string, source: number): ModelState {
    const state = this.state();
    const isDraining =
      state.acceptedTransferCommandId === commandId &&
      state.transferPhase === 'draining' &&
      state.coordinatorGeneration === source &&
      state.activeWorkspaceId !== null;
    refuseIf(!isDraining, 'STALE_GENERATION');
    refuseIf(this.hasActivePermit(), 'DRAIN_INCOMPLETE');
    const own = this.world.rows.checkpoints.filter(
      (checkpoint) => checkpoint.workspaceId === state.activeWorkspaceId,
    );
    refuseIf(
      own.some((checkpoint) => checkpoint.coordinatorGeneration !== source),
      'STALE_GENERATION',
    );
    const next = this.touch({ coordinatorGeneration: source + 1, transferPhase: 'generation-advanced' });
    this.align(state.activeWorkspaceId);
    return next;
  }

  completeTransfer({ commandId, targetMode }: CompleteOwnershipTransferInput): ModelState {
    const state = this.state();
    const isCommitting =
      state.acceptedTransferCommandId === commandId &&
      state.transferTargetMode === targetMode &&
      state.transferPhase === 'committing';
    refuseIf(!isCommitting, 'STALE_GENERATION');
    const next = this.touch({
      terminalTransferResult: this.terminal(null),
      ownershipMode: targetMode,
      desiredOwnershipMode: targetMode,
      ...IDLE,
    });
    this.settleOlder(state.activeWorkspaceId, commandId);
    const command = this.find(commandId);
    refuseIf(command?.status !== 'running', 'COMMAND_INVALID');
    if (command !== undefined) this.end(command, 'succeeded', { state: toJson(next) });
    return next;
  }

  failTransfer({ commandId, fallbackMode, errorCode, errorMessage }: FailOwnershipTransferInput): ModelState {
    const state = this.state();
    const { transferPhase: phase, transferTargetMode: target } = state;
    refuseIf(state.acceptedTransferCommandId !== commandId || phase === null, 'STALE_GENERATION');
    const source = target === 'server' ? 'browser-gateway' : 'server';
    const isEarly = phase === 'preparing' || phase === 'draining';
    refuseIf(isEarly && fallbackMode !== source && this.hasActivePermit(), 'DRAIN_INCOMPLETE');
    const terminalTransfer = this.terminal(errorCode);
    const next = this.touch({
      terminalTransferResult: terminalTransfer,
      coordinatorGeneration: state.coordinatorGeneration + (isEarly ? 0 : 1),
      ownershipMode: fallbackMode,
      desiredOwnershipMode: fallbackMode === 'browser-gateway' ? fallbackMode : state.desiredOwnershipMode,
      ...IDLE,
    });
    this.align(next.activeWorkspaceId);
    if (!isEarly) this.moveAlong(next.activeWorkspaceId, commandId);
    const command = this.find(commandId);
    refuseIf(command === undefined || !isOpen(command), 'COMMAND_INVALID');
    if (command !== undefined) {
      this.end(command, 'failed', { terminalTransfer: { ...terminalTransfer } });
      command.errorCode = errorCode;
      command.errorMessage = errorMessage;
    }
    return next;
  }

  beginSwitch(input: BeginWorkspaceSwitchInput): ModelState {
    const state = this.state();
    refuseIf(state.coordinatorGeneration !== input.expectedGeneration, 'STALE_GENERATION');
    refuseIf(state.activeWorkspaceId !== input.expectedActiveWorkspaceId, 'INACTIVE_WORKSPACE');
    refuseIf(state.transitionState !== 'idle', 'STALE_GENERATION');
    const isCommitting = this.world.rows.permits.some(
      (permit) =>
        permit.workspaceId === state.activeWorkspaceId &&
        permit.coordinatorGeneration === state.coordinatorGeneration &&
        permit.state === 'local-commit-entered',
    );
    refuseIf(isCommitting, 'DRAIN_INCOMPLETE');
    return this.touch({
      coordinatorGeneration: state.coordinatorGeneration + 1,
      ownershipMode: 'transitioning-workspace',
      transitionState: 'switching-workspace',
      acceptedSwitchCommandId: input.commandId,
      targetWorkspaceId: input.targetWorkspaceId,
      requestedBy: input.requestedBy,
      terminalSwitchResult: null,
    });
  }

  completeSwitch({ commandId, targetWorkspaceId, terminalResult }: CompleteWorkspaceSwitchInput): ModelState {
    const state = this.state();
    const isIts =
      state.acceptedSwitchCommandId === commandId &&
      state.transitionState === 'switching-workspace' &&
      state.targetWorkspaceId === targetWorkspaceId;
    refuseIf(!isIts, 'STALE_GENERATION');
    const left = state.activeWorkspaceId;
    const next = this.touch({
      activeWorkspaceId: targetWorkspaceId,
      ownershipMode: 'browser-gateway',
      desiredOwnershipMode: 'browser-gateway',
      terminalSwitchResult: terminalResult ?? null,
      ...IDLE,
    });
    this.align(targetWorkspaceId);
    this.settleOlder(left, commandId);
    const command = this.find(commandId);
    refuseIf(command?.status !== 'running', 'COMMAND_INVALID');
    if (command !== undefined) this.end(command, 'succeeded', { state: toJson(next) });
    return next;
  }

  failSwitch({ commandId, errorCode, errorMessage }: FailWorkspaceSwitchInput): ModelState {
    const state = this.state();
    const isIts =
      state.acceptedSwitchCommandId === commandId && state.transitionState === 'switching-workspace';
    refuseIf(!isIts, 'STALE_GENERATION');
    const next = this.touch({
      ownershipMode: 'browser-gateway',
      desiredOwnershipMode: 'browser-gateway',
      terminalSwitchResult: { status: 'failed', errorCode, errorMessage },
      ...IDLE,
    });
    this.align(next.activeWorkspaceId);
    this.moveAlong(next.activeWorkspaceId, commandId);
    const command = this.find(commandId);
    if (command !== undefined && isOpen(command)) {
      this.end(command, 'failed', null);
      command.errorCode = errorCode;
      command.errorMessage = errorMessage;
    }
    return next;
  }

  recover(neverStarted: 'fail' | 'keep') {
    const state = this.state();
    const { transitionState: transition } = state;
    const errorCode = `${PREFIX}RESTART_INTERRUPTED`;
    let interrupted: TerminalTransfer | null = null;
    if (transition !== 'idle' || state.ownershipMode === 'server') {
      const isSwitch = transition === 'switching-workspace';
      if (transition === 'transferring-ownership') interrupted = this.terminal(errorCode);
      this.touch({
        coordinatorGeneration: state.coordinatorGeneration + 1,
        ownershipMode: isSwitch ? 'browser-gateway' : 'stopped',
        terminalSwitchResult: isSwitch ? { status: 'failed', errorCode } : state.terminalSwitchResult,
        terminalTransferResult: interrupted ?? state.terminalTransferResult,
        ...IDLE,
      });
    }
    this.align(state.activeWorkspaceId);
    const kept = this.world.rows.commands.filter(
      (command) =>
        isOpen(command) &&
        neverStarted === 'keep' &&
        isRunner(command) &&
        state.activeWorkspaceId !== null &&
        command.workspaceId === state.activeWorkspaceId,
    );
    this.requeue(kept.filter((command) => command.status === 'running'));
    for (const command of kept.filter((one) => one.status === 'accepted')) {
      command.expectedCoordinatorGeneration = state.coordinatorGeneration;
      command.updatedAt = this.world.now;
    }
    const rest = this.world.rows.commands.filter((command) => isOpen(command) && !kept.includes(command));
    for (const command of rest) {
      const name = command.status === 'running' ? 'RESTART_INTERRUPTED' : 'RESTART_BEFORE_EXECUTION';
      const result =
        command.commandId === interrupted?.commandId ? { terminalTransfer: { ...interrupted } } : null;
      this.end(command, 'failed', result);
      command.errorCode = `${PREFIX}${name}`;
      command.errorMessage = '<text>';
    }
    return { state, interruptedCommandCount: rest.length };
  }

  protected terminal(errorCode: string | null): TerminalTransfer {
    const { acceptedTransferCommandId, transferTargetMode, transferPhase, coordinatorGeneration } =
      this.state();
    const isEarly = transferPhase === 'preparing' || transferPhase === 'draining';
    const sourceGeneration = isEarly ? coordinatorGeneration : coordinatorGeneration - 1;
    const targetMode = transferTargetMode ?? 'server';
    return {
      commandId: acceptedTransferCommandId ?? '',
      status: errorCode === null ? 'succeeded' : 'failed',
      sourceMode: targetMode === 'server' ? 'browser-gateway' : 'server',
      targetMode,
      sourceGeneration,
      targetGeneration: sourceGeneration + 1,
      completedAt: this.world.now,
      errorCode,
      errorPhase: errorCode === null ? null : transferPhase,
    };
  }

  protected hasActivePermit(): boolean {
    const { activeWorkspaceId, coordinatorGeneration } = this.state();
    return this.world.rows.permits.some(
      (permit) =>
        isActive(permit) &&
        permit.workspaceId === activeWorkspaceId &&
        permit.coordinatorGeneration === coordinatorGeneration,
    );
  }
}

const IDLE = {
  transitionState: 'idle',
  acceptedSwitchCommandId: null,
  targetWorkspaceId: null,
  requestedBy: null,
  acceptedTransferCommandId: null,
  transferTargetMode: null,
  transferPhase: null,
  transferVersion: null,
} as const;

function toJson(state: ModelState): Json {
  return JSON.parse(JSON.stringify(state)) as Json; // plain data
}
