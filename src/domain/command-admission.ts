import type { AcceptCommandOptions, CommandEnvelope, CommandRecord, RunnerFence } from './command';
import type { BeginOwnershipTransferInput, CoordinatorState, RequestedBy } from './coordinator-state';
import { OWNER_MODES, type OwnershipMode } from './coordinator-vocabulary';
import { STORE_CODES } from './error-codes';
import type { Json } from './json';
import { refuse } from './refuse';

/** Whether a command may come in under the conditions its caller sets. */
export function assertAcceptable(
  state: CoordinatorState,
  envelope: CommandEnvelope,
  options: AcceptCommandOptions,
): void {
  if (options.requireActiveWorkspace === true) {
    assertSteadyAt(state, envelope.expectedCoordinatorGeneration);
    if (envelope.workspaceId === null || envelope.workspaceId !== state.activeWorkspaceId) {
      refuseInactive(state.activeWorkspaceId, envelope.workspaceId);
    }
    if (options.requireServerOwnership === true && state.ownershipMode !== 'server') {
      refuseInvalid('The server does not own synchronisation.', 'server', state.ownershipMode);
    }
  }
  if (options.requireWorkspaceSwitchSource === true) {
    const expected = options.expectedActiveWorkspaceId ?? null;
    assertSteadyAt(state, envelope.expectedCoordinatorGeneration);
    if (envelope.workspaceId !== expected) refuseInactive(expected, envelope.workspaceId);
    if (state.activeWorkspaceId !== expected) refuseInactive(expected, state.activeWorkspaceId);
  }
}

/** Whether this runner may take or requeue commands now. */
export function assertRunnerFence(state: CoordinatorState, fence: RunnerFence): void {
  if (state.coordinatorGeneration !== fence.coordinatorGeneration) {
    refuse(STORE_CODES.STALE_GENERATION, 'The runner belongs to another generation.', {
      expected: state.coordinatorGeneration,
      actual: fence.coordinatorGeneration,
    });
  }
  const ownerMode = fence.ownerMode ?? 'server';
  const isOpen =
    state.activeWorkspaceId === fence.workspaceId &&
    state.ownershipMode === ownerMode &&
    state.transitionState === 'idle';
  if (isOpen) return;
  refuseInvalid(
    'This runner does not own the synchronisation of the active workspace.',
    `${fence.workspaceId}, ${ownerMode}, idle`,
    `${state.activeWorkspaceId}, ${state.ownershipMode}, ${state.transitionState}`,
  );
}

/** Passes the command on that asked for this transfer. */
export function mustBeTransferCommand(
  command: CommandRecord | undefined,
  input: BeginOwnershipTransferInput,
): CommandRecord {
  const isFit =
    command?.status === 'accepted' &&
    command.type === 'TransferOwnership' &&
    command.version === input.version &&
    command.workspaceId === input.workspaceId &&
    command.expectedCoordinatorGeneration === input.expectedGeneration &&
    readTargetMode(command.args) === input.targetMode &&
    isSameRequester(command.requestedBy, input.requestedBy);
  if (isFit) return command;
  return refuseInvalid(
    'The command did not ask for this transfer.',
    input.commandId,
    command?.status ?? null,
  );
}

export function refuseInvalid(message: string, expected: unknown, actual: unknown): never {
  return refuse(STORE_CODES.COMMAND_INVALID, message, { expected, actual });
}

/** The generation holds, nothing is in transition, and somebody owns synchronisation. */
function assertSteadyAt(state: CoordinatorState, generation: number): void {
  const owners: readonly OwnershipMode[] = OWNER_MODES;
  const isSteady =
    state.coordinatorGeneration === generation &&
    state.transitionState === 'idle' &&
    owners.includes(state.ownershipMode);
  if (isSteady) return;
  refuse(STORE_CODES.STALE_GENERATION, 'The coordinator is not in steady state at this generation.', {
    expected: `${state.coordinatorGeneration}, ${state.ownershipMode}, ${state.transitionState}`,
    actual: generation,
  });
}

function refuseInactive(expected: string | null, actual: string | null): never {
  return refuse(STORE_CODES.INACTIVE_WORKSPACE, `Workspace "${actual}" is not the active one.`, {
    expected,
    actual,
  });
}

/** Either may be incomplete, or none at all where a caller has no types; two that lack the same are the same. */
function isSameRequester(
  a: Partial<RequestedBy> | null | undefined,
  b: Partial<RequestedBy> | null | undefined,
): boolean {
  return a?.userId === b?.userId && a?.tenantId === b?.tenantId;
}

function readTargetMode(args: Json): unknown {
  return typeof args === 'object' && args !== null && 'targetMode' in args ? args['targetMode'] : undefined;
}
