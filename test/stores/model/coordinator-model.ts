import type {
  AcceptCommandOptions,
  CommandEnvelope,
  CommandRecord,
  ClaimNextInput,
  ClaimCommandInput,
  FinishCommandInput,
  RunnerFence,
} from '../../../src/domain/command';
import type {
  AdvanceLocalDataVersionInput,
  AdvanceOwnershipTransferInput,
  BeginOwnershipTransferInput,
  BeginWorkspaceSwitchInput,
  CompleteOwnershipTransferInput,
  CompleteWorkspaceSwitchInput,
  FailOwnershipTransferInput,
  FailWorkspaceSwitchInput,
  ResumeInput,
  TerminalTransfer,
} from '../../../src/domain/coordinator-state';
import type { OwnerMode, OwnershipMode, TransitionState } from '../../../src/domain/coordinator-vocabulary';
import type { Json } from '../../../src/domain/json';
import { type World, compare, isActive, isSame, refuseIf, type ModelCommand, type ModelState } from './world';

const RUNNER = ['EnableSync', 'DisableSync', 'Sync', 'Retry', 'Repair'];
const CLASSES = [['Sync', 'Retry'], ['Repair'], ['EnableSync'], ['DisableSync']];
/** By whom, whom, and why: what a later intent overrules. */
const OVERRULES: readonly (readonly [string, string, string])[] = [
  ['Repair', 'Sync', 'repair-replaces-reconcile'],
  ['Repair', 'Retry', 'repair-replaces-reconcile'],
  ['DisableSync', 'Sync', 'sync-disabled-before-reconcile'],
  ['DisableSync', 'Retry', 'sync-disabled-before-reconcile'],
  ['DisableSync', 'EnableSync', 'sync-disabled-before-enable'],
  ['EnableSync', 'DisableSync', 'sync-enabled-before-disable'],
];
const PREFIX = 'SYNC_COORDINATOR_';
const isOwner = (mode: OwnershipMode | undefined): boolean => mode === 'server' || mode === 'browser-gateway';
const isOpen = (command: ModelCommand): boolean => command.completedAt === null;
const isRunner = (command: { type: string }): boolean => RUNNER.includes(command.type);

/** The coordinator, told again from its rules. */
export class CoordinatorModel {
  readonly #world: World;
  constructor(world: World) {
    this.#world = world;
  }

  state(): ModelState {
    this.#world.rows.state ??= {
      activeWorkspaceId: null,
      coordinatorGeneration: 0,
      localDataVersion: 0,
      ownershipMode: 'stopped',
      desiredOwnershipMode: 'browser-gateway',
      transitionState: 'idle',
      acceptedSwitchCommandId: null,
      targetWorkspaceId: null,
      requestedBy: null,
      terminalSwitchResult: null,
      terminalTransferResult: null,
      acceptedTransferCommandId: null,
      transferTargetMode: null,
      transferPhase: null,
      transferVersion: null,
      updatedAt: this.#world.now,
    };
    return this.#world.rows.state;
  }

  setLifecycleMode(ownershipMode: OwnershipMode, transitionState: TransitionState): ModelState {
    return this.#touch({ ownershipMode, transitionState });
  }

  advanceDataVersion({ workspaceId, expectedCoordinatorGeneration }: AdvanceLocalDataVersionInput): number {
    const state = this.state();
    refuseIf(state.coordinatorGeneration !== expectedCoordinatorGeneration, 'STALE_GENERATION');
    refuseIf(state.activeWorkspaceId !== workspaceId, 'INACTIVE_WORKSPACE');
    return this.#touch({ localDataVersion: state.localDataVersion + 1 }).localDataVersion;
  }

  resume({ workspaceId, expectedCoordinatorGeneration }: ResumeInput, owner: OwnerMode): ModelState {
    const state = this.state();
    refuseIf(state.coordinatorGeneration !== expectedCoordinatorGeneration, 'STALE_GENERATION');
    refuseIf(state.activeWorkspaceId !== workspaceId, 'INACTIVE_WORKSPACE');
    const isIdle = state.transitionState === 'idle';
    if (state.ownershipMode === owner && isIdle) return state;
    const mayResume = state.ownershipMode === 'stopped' && isIdle && state.desiredOwnershipMode === owner;
    refuseIf(!mayResume, 'COMMAND_INVALID');
    return this.#touch({ ownershipMode: owner });
  }

  accept(envelope: CommandEnvelope, options: AcceptCommandOptions = {}) {
    const known = this.find(envelope.commandId);
    if (known !== undefined) {
      refuseIf(known.canonicalFingerprint !== envelope.canonicalFingerprint, 'COMMAND_IDENTITY_CONFLICT');
      return { record: toRecord(known), replayed: true };
    }
    this.#assertAcceptable(envelope, options);
    const { now } = this.#world;
    const waiting = this.#world.rows.commands.filter(
      (command) =>
        command.status === 'accepted' &&
        command.workspaceId === envelope.workspaceId &&
        command.expectedCoordinatorGeneration === envelope.expectedCoordinatorGeneration,
    );
    const members = CLASSES.find((types) => types.includes(envelope.type)) ?? [];
    const leader = waiting
      .filter((command) => members.includes(command.type) && isSame(command.args, envelope.args))
      .toSorted(byRequest)[0];
    const record: ModelCommand = {
      ...envelope,
      status: leader === undefined ? 'accepted' : 'superseded',
      startedAt: null,
      completedAt: leader === undefined ? null : now,
      result: leader === undefined ? null : { disposition: 'coalesced', leaderCommandId: leader.commandId },
      errorCode: null,
      errorMessage: null,
      updatedAt: now,
      claimToken: null,
    };
    for (const command of waiting) {
      const reason = reasonFor(envelope.type, command.type);
      if (reason === undefined) continue;
      const supersedingCommandId = leader?.commandId ?? envelope.commandId;
      this.#end(command, 'superseded', { disposition: 'superseded', supersedingCommandId, reason });
    }
    this.#world.rows.commands.push(record);
    return { record: toRecord(record), replayed: false };
  }

  find(commandId: string): ModelCommand | undefined {
    return this.#world.rows.commands.find((command) => command.commandId === commandId);
  }

  list(workspaceId: string, generation: number): CommandRecord[] {
    return this.#world.rows.commands
      .filter(
        (command) =>
          command.status === 'accepted' &&
          isRunner(command) &&
          command.workspaceId === workspaceId &&
          command.expectedCoordinatorGeneration === generation,
      )
      .toSorted(
        (a, b) => Number(b.type === 'DisableSync') - Number(a.type === 'DisableSync') || byRequest(a, b),
      )
      .map(toRecord);
  }

  claimNext(input: ClaimNextInput) {
    this.#assertRunner(input);
    const next = this.list(input.workspaceId, input.coordinatorGeneration).find(
      (record) => input.cloudCapabilityAvailable || ['EnableSync', 'DisableSync'].includes(record.type),
    );
    return next === undefined ? null : this.#claim(next.commandId, input.withToken);
  }

  claimById(input: ClaimCommandInput) {
    this.#assertRunner(input);
    const isWaiting = this.list(input.workspaceId, input.coordinatorGeneration).some(
      (record) => record.commandId === input.commandId,
    );
    if (isWaiting) return { record: this.#claim(input.commandId, input.withToken), claimed: true };
    const record = this.find(input.commandId);
    return { record: record === undefined ? null : toRecord(record), claimed: false };
  }

  recoverForRecreation(fence: RunnerFence): number {
    this.#assertRunner(fence);
    const running = this.#world.rows.commands.filter(
      (command) =>
        command.status === 'running' &&
        isRunner(command) &&
        command.workspaceId === fence.workspaceId &&
        command.expectedCoordinatorGeneration === fence.coordinatorGeneration,
    );
    return this.#requeue(running);
  }

  markRunning(commandId: string): CommandRecord | null {
    const command = this.find(commandId);
    if (command?.status === 'accepted') this.#start(command);
    return command === undefined ? null : toRecord(command);
  }

  finish(input: FinishCommandInput): CommandRecord | null {
    refuseIf(!['succeeded', 'failed'].includes(input.status), 'COMMAND_INVALID');
    const { acceptedSwitchCommandId, acceptedTransferCommandId } = this.state();
    const owners = [acceptedSwitchCommandId, acceptedTransferCommandId];
    refuseIf(owners.includes(input.commandId), 'COMMAND_INVALID');
    const command = this.find(input.commandId);
    if (command === undefined) return null;
    if (isOpen(command)) {
      refuseIf(command.claimToken !== (input.claimToken ?? null), 'COMMAND_INVALID');
      this.#end(command, input.status, input.result ?? null);
      command.errorCode = input.errorCode ?? null;
      command.errorMessage = input.errorMessage ?? null;
    }
    return toRecord(command);
  }

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
    if (command !== undefined) this.#start(command);
    return this.#touch({
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
    return this.#touch({ transferPhase: nextPhase });
  }

  advanceTransferGeneration(commandId: string, source: number): ModelState {
    const state = this.state();
    const isDraining =
      state.acceptedTransferCommandId === commandId &&
      state.transferPhase === 'draining' &&
      state.coordinatorGeneration === source &&
      state.activeWorkspaceId !== null;
    refuseIf(!isDraining, 'STALE_GENERATION');
    refuseIf(this.#hasActivePermit(), 'DRAIN_INCOMPLETE');
    const own = this.#world.rows.checkpoints.filter(
      (checkpoint) => checkpoint.workspaceId === state.activeWorkspaceId,
    );
    refuseIf(
      own.some((checkpoint) => checkpoint.coordinatorGeneration !== source),
      'STALE_GENERATION',
    );
    const next = this.#touch({ coordinatorGeneration: source + 1, transferPhase: 'generation-advanced' });
    this.#align(state.activeWorkspaceId);
    return next;
  }

  completeTransfer({ commandId, targetMode }: CompleteOwnershipTransferInput): ModelState {
    const state = this.state();
    const isCommitting =
      state.acceptedTransferCommandId === commandId &&
      state.transferTargetMode === targetMode &&
      state.transferPhase === 'committing';
    refuseIf(!isCommitting, 'STALE_GENERATION');
    const next = this.#touch({
      terminalTransferResult: this.#terminal(null),
      ownershipMode: targetMode,
      desiredOwnershipMode: targetMode,
      ...IDLE,
    });
    this.#settleOlder(state.activeWorkspaceId, commandId);
    const command = this.find(commandId);
    refuseIf(command?.status !== 'running', 'COMMAND_INVALID');
    if (command !== undefined) this.#end(command, 'succeeded', { state: toJson(next) });
    return next;
  }

  failTransfer({ commandId, fallbackMode, errorCode, errorMessage }: FailOwnershipTransferInput): ModelState {
    const state = this.state();
    const { transferPhase: phase, transferTargetMode: target } = state;
    refuseIf(state.acceptedTransferCommandId !== commandId || phase === null, 'STALE_GENERATION');
    const source = target === 'server' ? 'browser-gateway' : 'server';
    const isEarly = phase === 'preparing' || phase === 'draining';
    refuseIf(isEarly && fallbackMode !== source && this.#hasActivePermit(), 'DRAIN_INCOMPLETE');
    const terminalTransfer = this.#terminal(errorCode);
    const next = this.#touch({
      terminalTransferResult: terminalTransfer,
      coordinatorGeneration: state.coordinatorGeneration + (isEarly ? 0 : 1),
      ownershipMode: fallbackMode,
      desiredOwnershipMode: fallbackMode === 'browser-gateway' ? fallbackMode : state.desiredOwnershipMode,
      ...IDLE,
    });
    this.#align(next.activeWorkspaceId);
    if (!isEarly) this.#moveAlong(next.activeWorkspaceId, commandId);
    const command = this.find(commandId);
    refuseIf(command === undefined || !isOpen(command), 'COMMAND_INVALID');
    if (command !== undefined) {
      this.#end(command, 'failed', { terminalTransfer: { ...terminalTransfer } });
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
    const isCommitting = this.#world.rows.permits.some(
      (permit) =>
        permit.workspaceId === state.activeWorkspaceId &&
        permit.coordinatorGeneration === state.coordinatorGeneration &&
        permit.state === 'local-commit-entered',
    );
    refuseIf(isCommitting, 'DRAIN_INCOMPLETE');
    return this.#touch({
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
    const next = this.#touch({
      activeWorkspaceId: targetWorkspaceId,
      ownershipMode: 'browser-gateway',
      desiredOwnershipMode: 'browser-gateway',
      terminalSwitchResult: terminalResult ?? null,
      ...IDLE,
    });
    this.#align(targetWorkspaceId);
    this.#settleOlder(left, commandId);
    const command = this.find(commandId);
    refuseIf(command?.status !== 'running', 'COMMAND_INVALID');
    if (command !== undefined) this.#end(command, 'succeeded', { state: toJson(next) });
    return next;
  }

  failSwitch({ commandId, errorCode, errorMessage }: FailWorkspaceSwitchInput): ModelState {
    const state = this.state();
    const isIts =
      state.acceptedSwitchCommandId === commandId && state.transitionState === 'switching-workspace';
    refuseIf(!isIts, 'STALE_GENERATION');
    const next = this.#touch({
      ownershipMode: 'browser-gateway',
      desiredOwnershipMode: 'browser-gateway',
      terminalSwitchResult: { status: 'failed', errorCode, errorMessage },
      ...IDLE,
    });
    this.#align(next.activeWorkspaceId);
    this.#moveAlong(next.activeWorkspaceId, commandId);
    const command = this.find(commandId);
    if (command !== undefined && isOpen(command)) {
      this.#end(command, 'failed', null);
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
      if (transition === 'transferring-ownership') interrupted = this.#terminal(errorCode);
      this.#touch({
        coordinatorGeneration: state.coordinatorGeneration + 1,
        ownershipMode: isSwitch ? 'browser-gateway' : 'stopped',
        terminalSwitchResult: isSwitch ? { status: 'failed', errorCode } : state.terminalSwitchResult,
        terminalTransferResult: interrupted ?? state.terminalTransferResult,
        ...IDLE,
      });
    }
    this.#align(state.activeWorkspaceId);
    const kept = this.#world.rows.commands.filter(
      (command) =>
        isOpen(command) &&
        neverStarted === 'keep' &&
        isRunner(command) &&
        state.activeWorkspaceId !== null &&
        command.workspaceId === state.activeWorkspaceId,
    );
    this.#requeue(kept.filter((command) => command.status === 'running'));
    for (const command of kept.filter((one) => one.status === 'accepted')) {
      command.expectedCoordinatorGeneration = state.coordinatorGeneration;
      command.updatedAt = this.#world.now;
    }
    const rest = this.#world.rows.commands.filter((command) => isOpen(command) && !kept.includes(command));
    for (const command of rest) {
      const name = command.status === 'running' ? 'RESTART_INTERRUPTED' : 'RESTART_BEFORE_EXECUTION';
      const result =
        command.commandId === interrupted?.commandId ? { terminalTransfer: { ...interrupted } } : null;
      this.#end(command, 'failed', result);
      command.errorCode = `${PREFIX}${name}`;
      command.errorMessage = '<text>';
    }
    return { state, interruptedCommandCount: rest.length };
  }

  #touch(changes: Partial<ModelState>): ModelState {
    return Object.assign(this.state(), changes, { updatedAt: this.#world.now });
  }

  #start(command: ModelCommand): void {
    command.status = 'running';
    command.startedAt ??= this.#world.now;
    command.updatedAt = this.#world.now;
  }

  /** Ends it with its errors cleared; who has some sets them. */
  #end(command: ModelCommand, status: ModelCommand['status'], result: Json): void {
    command.status = status;
    command.result = result;
    command.completedAt = this.#world.now;
    command.updatedAt = this.#world.now;
    command.errorCode = null;
    command.errorMessage = null;
    command.claimToken = null;
  }

  #claim(commandId: string, withToken: boolean | undefined) {
    const command = this.find(commandId);
    if (command === undefined) throw new Error('claimed what is not there');
    this.#start(command);
    if (withToken !== true) return toRecord(command);
    command.claimToken = this.#world.newId();
    return { ...toRecord(command), claimToken: command.claimToken };
  }

  #requeue(running: readonly ModelCommand[]): number {
    let requeued = 0;
    const all = this.#world.rows.commands;
    for (const command of running) {
      const later = all
        .slice(all.indexOf(command) + 1)
        .findLast(
          (other) =>
            other.workspaceId === command.workspaceId &&
            ['accepted', 'running', 'succeeded'].includes(other.status) &&
            reasonFor(other.type, command.type) !== undefined,
        );
      if (later !== undefined) {
        const reason = reasonFor(later.type, command.type) ?? '';
        const supersedingCommandId = later.commandId;
        this.#end(command, 'superseded', { disposition: 'superseded', supersedingCommandId, reason });
        continue;
      }
      command.status = 'accepted';
      command.updatedAt = this.#world.now;
      command.errorCode = `${PREFIX}RUNNER_RECREATED`;
      command.errorMessage = '<text>';
      command.claimToken = null;
      requeued += 1;
    }
    return requeued;
  }

  #settleOlder(workspaceId: string | null, exceptId: string): void {
    if (workspaceId === null) return;
    const { coordinatorGeneration } = this.state();
    for (const command of this.#world.rows.commands) {
      const isSettled =
        isOpen(command) &&
        command.commandId !== exceptId &&
        (command.workspaceId === workspaceId || command.workspaceId === null) &&
        command.expectedCoordinatorGeneration < coordinatorGeneration &&
        (command.status === 'accepted' || isRunner(command));
      if (!isSettled) continue;
      const reason = 'generation-advanced';
      this.#end(command, 'superseded', { disposition: 'superseded', reason, coordinatorGeneration });
    }
  }

  #moveAlong(workspaceId: string | null, exceptId: string): void {
    if (workspaceId === null) return;
    const { coordinatorGeneration } = this.state();
    for (const command of this.#world.rows.commands) {
      const isOlder = command.expectedCoordinatorGeneration < coordinatorGeneration;
      if (!isOpen(command) || !isRunner(command) || command.workspaceId !== workspaceId || !isOlder) continue;
      command.expectedCoordinatorGeneration = coordinatorGeneration;
      command.updatedAt = this.#world.now;
    }
    this.#settleOlder(workspaceId, exceptId);
  }

  #align(workspaceId: string | null): void {
    const { coordinatorGeneration } = this.state();
    for (const checkpoint of this.#world.rows.checkpoints) {
      const isElsewhere = checkpoint.coordinatorGeneration !== coordinatorGeneration;
      if (checkpoint.workspaceId !== workspaceId || !isElsewhere) continue;
      checkpoint.coordinatorGeneration = coordinatorGeneration;
      checkpoint.checkpointRevision += 1;
    }
  }

  #terminal(errorCode: string | null): TerminalTransfer {
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
      completedAt: this.#world.now,
      errorCode,
      errorPhase: errorCode === null ? null : transferPhase,
    };
  }

  #hasActivePermit(): boolean {
    const { activeWorkspaceId, coordinatorGeneration } = this.state();
    return this.#world.rows.permits.some(
      (permit) =>
        isActive(permit) &&
        permit.workspaceId === activeWorkspaceId &&
        permit.coordinatorGeneration === coordinatorGeneration,
    );
  }

  #assertAcceptable(envelope: CommandEnvelope, options: AcceptCommandOptions): void {
    const state = this.#world.rows.state ?? this.state();
    const isSteady =
      state.coordinatorGeneration === envelope.expectedCoordinatorGeneration &&
      state.transitionState === 'idle' &&
      isOwner(state.ownershipMode);
    if (options.requireActiveWorkspace === true) {
      refuseIf(!isSteady, 'STALE_GENERATION');
      const isActiveOne = envelope.workspaceId !== null && envelope.workspaceId === state.activeWorkspaceId;
      refuseIf(!isActiveOne, 'INACTIVE_WORKSPACE');
      const wantsServer = options.requireServerOwnership === true;
      refuseIf(wantsServer && state.ownershipMode !== 'server', 'COMMAND_INVALID');
    }
    if (options.requireWorkspaceSwitchSource === true) {
      const expected = options.expectedActiveWorkspaceId ?? null;
      refuseIf(!isSteady, 'STALE_GENERATION');
      const isThere = envelope.workspaceId === expected && state.activeWorkspaceId === expected;
      refuseIf(!isThere, 'INACTIVE_WORKSPACE');
    }
  }

  #assertRunner({ workspaceId, coordinatorGeneration, ownerMode = 'server' }: RunnerFence): void {
    const state = this.state();
    refuseIf(state.coordinatorGeneration !== coordinatorGeneration, 'STALE_GENERATION');
    const isIts =
      state.activeWorkspaceId === workspaceId &&
      state.ownershipMode === ownerMode &&
      state.transitionState === 'idle';
    refuseIf(!isIts, 'COMMAND_INVALID');
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

function reasonFor(later: string, earlier: string): string | undefined {
  return OVERRULES.find(([by, whom]) => by === later && whom === earlier)?.[2];
}

function byRequest(a: ModelCommand, b: ModelCommand): number {
  return compare(a.requestedAt, b.requestedAt) || compare(a.commandId, b.commandId);
}

function toRecord(command: ModelCommand): CommandRecord {
  const record: Partial<ModelCommand> = structuredClone(command);
  delete record.claimToken;
  return record as CommandRecord; // all that is left
}

function toJson(state: ModelState): Json {
  return JSON.parse(JSON.stringify(state)) as Json; // plain data
}
