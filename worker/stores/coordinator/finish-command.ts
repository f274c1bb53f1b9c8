import type {
  CommandHeartbeatInput,
  CommandProgress,
  CommandProgressInput,
  CommandRecord,
  FinishCommandInput,
} from '../../../src/domain/command';
import { refuseInvalid } from '../../../src/domain/command-admission';
import { readJsonOrNull, readOptionalText, readText, toJsonColumn } from '../row-reader';
import { readForUpdate, type StoreCall } from '../store-call';
import { findCommand, isTerminal, moveCommand, type StoredCommand } from './command-rows';
import { readOrCreateState } from './state-rows';

const REPORT = `UPDATE local_sync_coordinator_commands SET progress_json = ?, heartbeat_at = ?
  WHERE command_id = ? AND status = 'running'`;
const BEAT = `UPDATE local_sync_coordinator_commands SET heartbeat_at = ?
  WHERE command_id = ? AND status = 'running'`;
const SELECT_PROGRESS = `SELECT command_id, progress_json, heartbeat_at
  FROM local_sync_coordinator_commands WHERE command_id = ?`;

/** Started by somebody else than a runner's claim; anything but a waiting command stays as it is. */
export function markRunning(call: StoreCall, commandId: string): CommandRecord | null {
  const record = findCommand(call, commandId)?.record ?? null;
  return record?.status === 'accepted' ? moveCommand(call, record, { status: 'running' }) : record;
}

/** Ends a command. What a transition owns is ended by that transition alone. */
export function finishCommand(call: StoreCall, input: FinishCommandInput): CommandRecord | null {
  if (input.status !== 'succeeded' && input.status !== 'failed') {
    refuseInvalid('A command finishes as succeeded or failed.', 'succeeded or failed', input.status);
  }
  const { acceptedSwitchCommandId, acceptedTransferCommandId } = readOrCreateState(call);
  if (input.commandId === acceptedSwitchCommandId || input.commandId === acceptedTransferCommandId) {
    refuseInvalid('The command owns a transition, which ends it.', 'complete or fail', input.commandId);
  }
  const command = findCommand(call, input.commandId);
  if (command === null || isTerminal(command.record.status)) return command?.record ?? null;
  assertClaimToken(command, input.claimToken);
  return moveCommand(call, command.record, {
    status: input.status,
    result: input.result ?? null,
    errorCode: input.errorCode ?? null,
    errorMessage: input.errorMessage ?? null,
  });
}

export function recordProgress(call: StoreCall, input: CommandProgressInput): CommandProgress | null {
  assertMayReport(call, input);
  call.database.prepare(REPORT).run([toJsonColumn(input.progress), call.now, input.commandId]);
  return readProgress(call, input.commandId);
}

export function beat(call: StoreCall, input: CommandHeartbeatInput): CommandProgress | null {
  assertMayReport(call, input);
  call.database.prepare(BEAT).run([call.now, input.commandId]);
  return readProgress(call, input.commandId);
}

export function readProgress(call: StoreCall, commandId: string): CommandProgress | null {
  if (findCommand(call, commandId) === null) return null;
  const row = readForUpdate(call.database, SELECT_PROGRESS, [commandId]);
  if (row === undefined) return null;
  return {
    commandId: readText(row, 'command_id'),
    progress: readJsonOrNull(row, 'progress_json'),
    heartbeatAt: readOptionalText(row, 'heartbeat_at'),
  };
}

/** Refuses another claim's token. Of one that does not run, no report is kept, and no token is asked once it is over. */
function assertMayReport(call: StoreCall, input: CommandHeartbeatInput): void {
  const command = findCommand(call, input.commandId);
  if (command !== null && !isTerminal(command.record.status)) assertClaimToken(command, input.claimToken);
}

/** A claim made with a token needs it; a token that is not the present claim's belongs to a runner that lost it. */
function assertClaimToken(command: StoredCommand, claimToken: string | undefined): void {
  if (command.claimToken === (claimToken ?? null)) return;
  refuseInvalid(
    'The command runs under another claim.',
    'the token of the present claim',
    claimToken ?? null,
  );
}
