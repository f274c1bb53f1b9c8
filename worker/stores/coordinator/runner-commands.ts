import type {
  ClaimCommandInput,
  ClaimNextInput,
  ClaimOutcome,
  ClaimedCommand,
  CommandRecord,
  RunnerCommandScope,
  RunnerFence,
} from '../../../src/domain/command';
import { assertRunnerFence } from '../../../src/domain/command-admission';
import { isRunnerCommandType } from '../../../src/domain/command-intent';
import { RUNNER_COMMAND_TYPES } from '../../../src/domain/coordinator-vocabulary';
import type { StoreCall } from '../store-call';
import { COMMAND_COLUMNS, findCommand, findFirstCommand, moveCommand, readCommands } from './command-rows';
import { requeueRunning } from './requeue-commands';
import { readOrCreateState } from './state-rows';

const RUNNER_TYPES = RUNNER_COMMAND_TYPES.map((type) => `'${type}'`).join(', ');
const NEXT_FIRST = `ORDER BY command_type <> 'DisableSync', requested_at, command_id`;

const selectAccepted = (types: string): string => `SELECT ${COMMAND_COLUMNS}
  FROM local_sync_coordinator_commands
  WHERE workspace_id = ? AND expected_coordinator_generation = ? AND status = 'accepted' AND completed_at IS NULL
    AND command_type IN (${types}) ${NEXT_FIRST}`;
const LIST_ACCEPTED = selectAccepted(RUNNER_TYPES);
const SELECT_NEXT = `${LIST_ACCEPTED} LIMIT 1`;
/** What needs no upstream. */
const SELECT_NEXT_OFFLINE = `${selectAccepted(`'EnableSync', 'DisableSync'`)} LIMIT 1`;
const SELECT_RUNNING = `SELECT ${COMMAND_COLUMNS} FROM local_sync_coordinator_commands
  WHERE workspace_id = ? AND expected_coordinator_generation = ? AND status = 'running' AND completed_at IS NULL
    AND command_type IN (${RUNNER_TYPES}) ORDER BY arrival`;

export function listAccepted(call: StoreCall, scope: RunnerCommandScope): readonly CommandRecord[] {
  const commands = readCommands(call, LIST_ACCEPTED, [scope.workspaceId, scope.coordinatorGeneration]);
  return commands.map(({ record }) => record);
}

/** The next command in order becomes running; null where none waits. */
export function claimNext(call: StoreCall, input: ClaimNextInput): ClaimedCommand | null {
  assertRunnerFence(readOrCreateState(call), input);
  const sql = input.cloudCapabilityAvailable ? SELECT_NEXT : SELECT_NEXT_OFFLINE;
  const next = findFirstCommand(call, sql, [input.workspaceId, input.coordinatorGeneration]);
  return next === null ? null : claim(call, next.record, input.withToken);
}

/** Claims one command by its id, where it waits for this runner. */
export function claimById(call: StoreCall, input: ClaimCommandInput): ClaimOutcome {
  assertRunnerFence(readOrCreateState(call), input);
  const record = findCommand(call, input.commandId)?.record ?? null;
  const isClaimable =
    record?.status === 'accepted' &&
    isRunnerCommandType(record.type) &&
    record.workspaceId === input.workspaceId &&
    record.expectedCoordinatorGeneration === input.coordinatorGeneration;
  return isClaimable
    ? { record: claim(call, record, input.withToken), claimed: true }
    : { record, claimed: false };
}

/** A runner that was made anew gives back what its predecessor was running. */
export function recoverForRecreation(call: StoreCall, fence: RunnerFence): number {
  assertRunnerFence(readOrCreateState(call), fence);
  const running = readCommands(call, SELECT_RUNNING, [fence.workspaceId, fence.coordinatorGeneration]);
  return requeueRunning(call, running);
}

function claim(call: StoreCall, record: CommandRecord, withToken: boolean | undefined): ClaimedCommand {
  if (withToken !== true) return moveCommand(call, record, { status: 'running' });
  const claimToken = call.newId();
  return { ...moveCommand(call, record, { status: 'running', claimToken }), claimToken };
}
