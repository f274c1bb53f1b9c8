import type { CommandRecord } from '../../../src/domain/command';
import { isRunnerCommandType } from '../../../src/domain/command-intent';
import type {
  CoordinatorState,
  RecoverAfterRestartOptions,
  RestartRecovery,
  TerminalTransfer,
} from '../../../src/domain/coordinator-state';
import { ROW_CODES } from '../../../src/domain/error-codes';
import { toTerminalTransfer } from '../../../src/domain/terminal-transfer';
import type { StoreCall } from '../store-call';
import { alignCheckpoints } from './checkpoint-rows';
import {
  COMMAND_COLUMNS,
  moveCommand,
  readCommands,
  refreshAcceptedCommand,
  type StoredCommand,
} from './command-rows';
import { repairState } from './repair-state';
import { requeueRunning } from './requeue-commands';
import { NO_TRANSITION, updateState } from './state-rows';

/**
 * What a new writer makes of whatever the last one left. It must always come to an end: what cannot be read is moved
 * to quarantine and counted, and nothing here is refused.
 */

/** The plus keeps SQLite from walking the whole table in order of arrival instead of the index of open ones. */
const SELECT_OPEN = `SELECT ${COMMAND_COLUMNS} FROM local_sync_coordinator_commands
  WHERE completed_at IS NULL ORDER BY +arrival`;

const MESSAGES = {
  [ROW_CODES.RESTART_BEFORE_EXECUTION]: 'The writer restarted before this command ran.',
  [ROW_CODES.RESTART_INTERRUPTED]: 'The writer restarted while this command ran.',
} as const;

export function recoverAfterRestart(
  call: StoreCall,
  options: RecoverAfterRestartOptions = {},
): RestartRecovery {
  let quarantinedCount = 0;
  const counting: StoreCall = {
    ...call,
    quarantine: (row) => {
      quarantinedCount += 1;
      call.quarantine(row);
    },
  };
  const before = repairState(counting, () => (quarantinedCount += 1));
  const { state, interruptedTransfer } = settleTransition(counting, before);
  alignCheckpoints(counting, state.activeWorkspaceId, state.coordinatorGeneration);

  const open = readCommands(counting, SELECT_OPEN);
  const livesOn = ({ record }: StoredCommand): boolean =>
    options.neverStarted === 'keep' &&
    state.activeWorkspaceId !== null &&
    record.workspaceId === state.activeWorkspaceId &&
    isRunnerCommandType(record.type);
  keepCommands(counting, open.filter(livesOn), state.coordinatorGeneration);
  const interrupted = open.filter((command) => !livesOn(command));
  for (const { record } of interrupted) failCommand(counting, record, interruptedTransfer);
  return { state, interruptedCommandCount: interrupted.length, quarantinedCount };
}

/** Ends a transition that was cut short, and the ownership of a server that is gone. */
function settleTransition(call: StoreCall, state: CoordinatorState) {
  const { transitionState } = state;
  if (transitionState === 'idle' && state.ownershipMode !== 'server') {
    return { state, interruptedTransfer: null };
  }
  const errorCode = ROW_CODES.RESTART_INTERRUPTED;
  const isSwitch = transitionState === 'switching-workspace';
  const interruptedTransfer =
    transitionState === 'transferring-ownership' ? toTerminalTransfer(state, call.now, { errorCode }) : null;
  const next = updateState(call, {
    ...NO_TRANSITION,
    coordinatorGeneration: state.coordinatorGeneration + 1,
    ownershipMode: isSwitch ? 'browser-gateway' : 'stopped',
    terminalSwitchResult: isSwitch ? { status: 'failed', errorCode } : state.terminalSwitchResult,
    terminalTransferResult: interruptedTransfer ?? state.terminalTransferResult,
  });
  return { state: next, interruptedTransfer };
}

/** Runner commands of the active workspace wait to run again, under the generation that holds now. */
function keepCommands(call: StoreCall, commands: readonly StoredCommand[], generation: number): void {
  for (const { record } of commands) refreshAcceptedCommand(call, record.commandId, generation);
  requeueRunning(
    call,
    commands.filter(({ record }) => record.status === 'running'),
    generation,
  );
}

function failCommand(
  call: StoreCall,
  record: CommandRecord,
  interruptedTransfer: TerminalTransfer | null,
): void {
  const errorCode =
    record.status === 'accepted' ? ROW_CODES.RESTART_BEFORE_EXECUTION : ROW_CODES.RESTART_INTERRUPTED;
  moveCommand(call, record, {
    status: 'failed',
    result:
      record.commandId === interruptedTransfer?.commandId ? { terminalTransfer: interruptedTransfer } : null,
    errorCode,
    errorMessage: MESSAGES[errorCode],
  });
}
