import { toCanonicalJson } from '../../../src/domain/canonical-json';
import type {
  AcceptCommandOptions,
  AcceptedCommand,
  CommandEnvelope,
  CommandRecord,
} from '../../../src/domain/command';
import { assertAcceptable } from '../../../src/domain/command-admission';
import {
  findCoalescingClass,
  overruledBy,
  toCoalescedResult,
  toSupersededResult,
  type OneOrTwoTypes,
} from '../../../src/domain/command-intent';
import { STORE_CODES } from '../../../src/domain/error-codes';
import type { Json } from '../../../src/domain/json';
import { refuse } from '../../../src/domain/refuse';
import { toJsonColumn } from '../row-reader';
import { readForUpdate, type StoreCall } from '../store-call';
import { COMMAND_COLUMNS, findCommand, insertCommand, moveCommand, readCommands } from './command-rows';
import { readOrCreateState } from './state-rows';

const SELECT_ACCEPTED = `FROM local_sync_coordinator_commands
  WHERE workspace_id IS ? AND expected_coordinator_generation = ? AND status = 'accepted' AND completed_at IS NULL`;
const OLDEST_FIRST = 'ORDER BY requested_at, command_id';

const SELECT_LEADER = `SELECT command_id ${SELECT_ACCEPTED}
  AND command_type IN (?, ?) AND args_json IS ? ${OLDEST_FIRST} LIMIT 1`;
const SELECT_OVERRULED = `SELECT ${COMMAND_COLUMNS} ${SELECT_ACCEPTED} AND command_type IN (?, ?) ${OLDEST_FIRST}`;

/** Takes a command in: answers a repeat, lets an equal one stand for it, or lets it overrule earlier ones. */
export function acceptCommand(
  call: StoreCall,
  envelope: CommandEnvelope,
  options: AcceptCommandOptions = {},
): AcceptedCommand {
  const known = findCommand(call, envelope.commandId);
  if (known !== null) return { record: mustBeSameCommand(known.record, envelope), replayed: true };
  if (options.requireActiveWorkspace === true || options.requireWorkspaceSwitchSource === true) {
    assertAcceptable(readOrCreateState(call), envelope, options);
  }

  const leaderId = findLeaderId(call, envelope);
  const record = toRecord(call, envelope, leaderId);
  insertCommand(call, record);
  supersedeOverruled(call, envelope, leaderId ?? envelope.commandId);
  return { record, replayed: false };
}

function mustBeSameCommand(stored: CommandRecord, envelope: CommandEnvelope): CommandRecord {
  if (stored.canonicalFingerprint === envelope.canonicalFingerprint) return stored;
  return refuse(STORE_CODES.COMMAND_IDENTITY_CONFLICT, `Command "${stored.commandId}" was something else.`, {
    expected: stored.canonicalFingerprint,
    actual: envelope.canonicalFingerprint,
  });
}

/** The oldest equal request that nobody has started: a running one may have read too early for this caller. */
function findLeaderId(call: StoreCall, envelope: CommandEnvelope): string | null {
  const members = findCoalescingClass(envelope.type);
  if (members === undefined) return null;
  const row = readForUpdate(call.database, SELECT_LEADER, [
    envelope.workspaceId,
    envelope.expectedCoordinatorGeneration,
    ...toPair(members),
    toJsonColumn(envelope.args),
  ]);
  const leaderId = row?.['command_id'];
  return typeof leaderId === 'string' ? leaderId : null;
}

function supersedeOverruled(call: StoreCall, envelope: CommandEnvelope, supersedingId: string): void {
  for (const { overruled, reason } of overruledBy(envelope.type)) {
    const commands = readCommands(call, SELECT_OVERRULED, [
      envelope.workspaceId,
      envelope.expectedCoordinatorGeneration,
      ...toPair(overruled),
    ]);
    for (const { record } of commands) {
      moveCommand(call, record, {
        status: 'superseded',
        result: toSupersededResult(supersedingId, reason),
        errorCode: null,
        errorMessage: null,
      });
    }
  }
}

function toRecord(call: StoreCall, envelope: CommandEnvelope, leaderId: string | null): CommandRecord {
  const { commandId, workspaceId, expectedCoordinatorGeneration, type, version, requestedAt } = envelope;
  return {
    commandId,
    workspaceId,
    expectedCoordinatorGeneration,
    type,
    version,
    args: JSON.parse(toCanonicalJson(envelope.args ?? null)) as Json, // a copy of its own
    canonicalFingerprint: envelope.canonicalFingerprint,
    requestedBy: envelope.requestedBy,
    requestedAt,
    status: leaderId === null ? 'accepted' : 'superseded',
    startedAt: null,
    completedAt: leaderId === null ? null : call.now,
    result: leaderId === null ? null : toCoalescedResult(leaderId),
    errorCode: null,
    errorMessage: null,
    updatedAt: call.now,
  };
}

/** As exactly two parameters, so that the statement stays one text. */
function toPair([first, second = first]: OneOrTwoTypes): readonly [string, string] {
  return [first, second];
}
