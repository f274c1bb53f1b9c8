import { overrulersOf, toSupersededResult } from '../../../src/domain/command-intent';
import { ROW_CODES } from '../../../src/domain/error-codes';
import type { StoreCall } from '../store-call';
import { COMMAND_COLUMNS, findFirstCommand, moveCommand, type StoredCommand } from './command-rows';

/** The newest command of one type that came after another and was not itself undone. */
const SELECT_LATER = `SELECT ${COMMAND_COLUMNS} FROM local_sync_coordinator_commands
  WHERE workspace_id IS ? AND command_type = ? AND status IN ('accepted', 'running', 'succeeded') AND arrival > ?
  ORDER BY arrival DESC LIMIT 1`;

const REQUEUED_MESSAGE = 'The runner was made anew while this command ran; it waits to run again.';

/**
 * Puts running runner commands, given in the order they arrived, back in the queue. One that a later intent overrules
 * is superseded instead: running it again would undo what was asked for last. Returns how many wait again.
 */
export function requeueRunning(
  call: StoreCall,
  running: readonly StoredCommand[],
  expectedCoordinatorGeneration?: number,
): number {
  let requeued = 0;
  for (const command of running) {
    if (supersedeIfOverruled(call, command)) continue;
    const { record } = command;
    moveCommand(call, record, {
      status: 'accepted',
      expectedCoordinatorGeneration: expectedCoordinatorGeneration ?? record.expectedCoordinatorGeneration,
      errorCode: ROW_CODES.RUNNER_RECREATED,
      errorMessage: REQUEUED_MESSAGE,
    });
    requeued += 1;
  }
  return requeued;
}

function supersedeIfOverruled(call: StoreCall, command: StoredCommand): boolean {
  const newest = findNewestOverruler(call, command);
  if (newest === undefined) return false;
  moveCommand(call, command.record, {
    status: 'superseded',
    result: toSupersededResult(newest.later.record.commandId, newest.reason),
    errorCode: null,
    errorMessage: null,
  });
  return true;
}

function findNewestOverruler(call: StoreCall, { record, arrival }: StoredCommand) {
  return overrulersOf(record.type)
    .flatMap(({ type, reason }) => {
      const later = findFirstCommand(call, SELECT_LATER, [record.workspaceId, type, arrival]);
      return later === null ? [] : [{ later, reason }];
    })
    .toSorted((a, b) => b.later.arrival - a.later.arrival)[0];
}
