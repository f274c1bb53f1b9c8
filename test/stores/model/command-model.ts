import type {
  AcceptCommandOptions,
  ClaimCommandInput,
  ClaimNextInput,
  CommandEnvelope,
  CommandRecord,
  FinishCommandInput,
  RunnerFence,
} from '../../../src/domain/command';
import type { OwnershipMode } from '../../../src/domain/coordinator-vocabulary';
import type { Json } from '../../../src/domain/json';
import { StateModel } from './state-model';
import { compare, isSame, refuseIf, type ModelCommand } from './world';

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
export const PREFIX = 'SYNC_COORDINATOR_';
export const isOwner = (mode: OwnershipMode | undefined): boolean =>
  mode === 'server' || mode === 'browser-gateway';
export const isOpen = (command: ModelCommand): boolean => command.completedAt === null;
export const isRunner = (command: { type: string }): boolean => RUNNER.includes(command.type);

/** Commands, told again from their rules. */
export class CommandModel extends StateModel {
  accept(envelope: CommandEnvelope, options: AcceptCommandOptions = {}) {
    const known = this.find(envelope.commandId);
    if (known !== undefined) {
      refuseIf(known.canonicalFingerprint !== envelope.canonicalFingerprint, 'COMMAND_IDENTITY_CONFLICT');
      return { record: toRecord(known), replayed: true };
    }
    this.assertAcceptable(envelope, options);
    const { now } = this.world;
    const waiting = this.world.rows.commands.filter(
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
      this.end(command, 'superseded', { disposition: 'superseded', supersedingCommandId, reason });
    }
    this.world.rows.commands.push(record);
    return { record: toRecord(record), replayed: false };
  }

  find(commandId: string): ModelCommand | undefined {
    return this.world.rows.commands.find((command) => command.commandId === commandId);
  }

  list(workspaceId: string, generation: number): CommandRecord[] {
    return this.world.rows.commands
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
    this.assertRunner(input);
    const next = this.list(input.workspaceId, input.coordinatorGeneration).find(
      (record) => input.cloudCapabilityAvailable || ['EnableSync', 'DisableSync'].includes(record.type),
    );
    return next === undefined ? null : this.claim(next.commandId, input.withToken);
  }

  claimById(input: ClaimCommandInput) {
    this.assertRunner(input);
    const isWaiting = this.list(input.workspaceId, input.coordinatorGeneration).some(
      (record) => record.commandId === input.commandId,
    );
    if (isWaiting) return { record: this.claim(input.commandId, input.withToken), claimed: true };
    const record = this.find(input.commandId);
    return { record: record === undefined ? null : toRecord(record), claimed: false };
  }

  recoverForRecreation(fence: RunnerFence): number {
    this.assertRunner(fence);
    const running = this.world.rows.commands.filter(
      (command) =>
        command.status === 'running' &&
        isRunner(command) &&
        command.workspaceId === fence.workspaceId &&
        command.expectedCoordinatorGeneration === fence.coordinatorGeneration,
    );
    return this.requeue(running);
  }

  markRunning(commandId: string): CommandRecord | null {
    const command = this.find(commandId);
    if (command?.status === 'accepted') this.start(command);
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
      this.end(command, input.status, input.result ?? null);
      command.errorCode = input.errorCode ?? null;
      command.errorMessage = input.errorMessage ?? null;
    }
    return toRecord(command);
  }

  protected start(command: ModelCommand): void {
    command.status = 'running';
    command.startedAt ??= this.world.now;
    command.updatedAt = this.world.now;
  }

  /** Ends it with its errors cleared; who has some sets them. */
  protected end(command: ModelCommand, status: ModelCommand['status'], result: Json): void {
    command.status = status;
    command.result = result;
    command.completedAt = this.world.now;
    command.updatedAt = this.world.now;
    command.errorCode = null;
    command.errorMessage = null;
    command.claimToken = null;
  }

  protected claim(commandId: string, withToken: boolean | undefined) {
    const command = this.find(commandId);
    if (command === undefined) throw new Error('claimed what is not there');
    this.start(command);
    if (withToken !== true) return toRecord(command);
    command.claimToken = this.world.newId();
    return { ...toRecord(command), claimToken: command.claimToken };
  }

  protected requeue(running: readonly ModelCommand[]): number {
    let requeued = 0;
    const all = this.world.rows.commands;
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
        this.end(command, 'superseded', { disposition: 'superseded', supersedingCommandId, reason });
        continue;
      }
      command.status = 'accepted';
      command.updatedAt = this.world.now;
      command.errorCode = `${PREFIX}RUNNER_RECREATED`;
      command.errorMessage = '<text>';
      command.claimToken = null;
      requeued += 1;
    }
    return requeued;
  }

  protected settleOlder(workspaceId: string | null, exceptId: string): void {
    if (workspaceId === null) return;
    const { coordinatorGeneration } = this.state();
    for (const command of this.world.rows.commands) {
      const isSettled =
        isOpen(command) &&
        command.commandId !== exceptId &&
        (command.workspaceId === workspaceId || command.workspaceId === null) &&
        command.expectedCoordinatorGeneration < coordinatorGeneration &&
        (command.status === 'accepted' || isRunner(command));
      if (!isSettled) continue;
      const reason = 'generation-advanced';
      this.end(command, 'superseded', { disposition: 'superseded', reason, coordinatorGeneration });
    }
  }

  protected moveAlong(workspaceId: string | null, exceptId: string): void {
    if (workspaceId === null) return;
    const { coordinatorGeneration } = this.state();
    for (const command of this.world.rows.commands) {
      const isOlder = command.expectedCoordinatorGeneration < coordinatorGeneration;
      if (!isOpen(command) || !isRunner(command) || command.workspaceId !== workspaceId || !isOlder) continue;
      command.expectedCoordinatorGeneration = coordinatorGeneration;
      command.updatedAt = this.world.now;
    }
    this.settleOlder(workspaceId, exceptId);
  }

  protected assertAcceptable(envelope: CommandEnvelope, options: AcceptCommandOptions): void {
    const state = this.world.rows.state ?? this.state();
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

  protected assertRunner({ workspaceId, coordinatorGeneration, ownerMode = 'server' }: RunnerFence): void {
    const state = this.state();
    refuseIf(state.coordinatorGeneration !== coordinatorGeneration, 'STALE_GENERATION');
    const isIts =
      state.activeWorkspaceId === workspaceId &&
      state.ownershipMode === ownerMode &&
      state.transitionState === 'idle';
    refuseIf(!isIts, 'COMMAND_INVALID');
  }
}

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
