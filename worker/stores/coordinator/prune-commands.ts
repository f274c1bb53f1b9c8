import type { CoordinatorState } from '../../../src/domain/coordinator-state';
import { collectCommandReferences } from '../../../src/domain/command-references';
import type { Row } from '../../database';
import { KEPT_NEWEST, toRetentionLimit } from '../retention';
import { readAllForUpdate, readForUpdate, type StoreCall } from '../store-call';
import { readOrCreateState, toStateJson } from './state-rows';

/**
 * Retention of finished commands. Kept are the newest thousand, everything younger than a week, and whatever the state
 * or a kept command's result names, through any number of commands. Which those are is asked backwards, by index,
 * from each command that would otherwise go: the cost does not grow with what is kept.
 */

/** One slice, short enough to run between two calls. */
const COMMAND_PRUNE_LIMIT = 250;

const NEWEST_TO_GO = `SELECT completed_at, command_id FROM local_sync_coordinator_commands
  WHERE completed_at IS NOT NULL ORDER BY completed_at DESC, command_id DESC LIMIT 1 OFFSET ?`;
const OLDEST = `SELECT completed_at FROM local_sync_coordinator_commands
  WHERE completed_at IS NOT NULL ORDER BY completed_at, command_id LIMIT 1`;
const SELECT_CANDIDATES = `SELECT command_id, completed_at FROM local_sync_coordinator_commands
  WHERE completed_at IS NOT NULL AND completed_at < ? AND (completed_at, command_id) <= (?, ?)
    AND (completed_at, command_id) > (?, ?)
  ORDER BY completed_at, command_id LIMIT ?`;
const SELECT_REFERRERS = `SELECT r.command_id, c.completed_at FROM local_sync_command_references r
  JOIN local_sync_coordinator_commands c ON c.command_id = r.command_id WHERE r.referenced_command_id = ?`;
const DELETE_COMMAND = 'DELETE FROM local_sync_coordinator_commands WHERE command_id = ?';
const DELETE_REFERENCES = 'DELETE FROM local_sync_command_references WHERE command_id = ?';

/** Deletes one slice, oldest first; returns how many went. */
export function pruneCommands(call: StoreCall): number {
  const olderThan = toRetentionLimit(call.nowMs);
  const oldest = readForUpdate(call.database, OLDEST)?.['completed_at'];
  if (typeof oldest !== 'string' || oldest >= olderThan) return 0;
  const newest = readForUpdate(call.database, NEWEST_TO_GO, [KEPT_NEWEST]);
  if (newest === undefined) return 0;

  const range = { olderThan, newest: toPosition(newest) };
  const keeper = new Keeper(call, range, namedByState(readOrCreateState(call)));
  let pruned = 0;
  for (const commandId of candidates(call, range)) {
    if (keeper.keeps(commandId)) continue;
    call.database.prepare(DELETE_COMMAND).run([commandId]);
    call.database.prepare(DELETE_REFERENCES).run([commandId]);
    pruned += 1;
    if (pruned === COMMAND_PRUNE_LIMIT) break;
  }
  return pruned;
}

interface Position {
  readonly completedAt: string;
  readonly commandId: string;
}

/** What may go, references apart: finished before an instant, and not among the newest. */
interface Range {
  readonly olderThan: string;
  readonly newest: Position;
}

function* candidates(call: StoreCall, { olderThan, newest }: Range): Generator<string> {
  let after: Position = { completedAt: '', commandId: '' };
  for (;;) {
    const rows = readAllForUpdate(call.database, SELECT_CANDIDATES, [
      olderThan,
      newest.completedAt,
      newest.commandId,
      after.completedAt,
      after.commandId,
      COMMAND_PRUNE_LIMIT,
    ]);
    for (const row of rows) {
      after = toPosition(row);
      yield after.commandId;
    }
    if (rows.length < COMMAND_PRUNE_LIMIT) return;
  }
}

/** Decides which of the old commands somebody still needs. */
class Keeper {
  readonly #call: StoreCall;
  readonly #range: Range;
  readonly #decided = new Map<string, boolean>();

  constructor(call: StoreCall, range: Range, named: readonly string[]) {
    this.#call = call;
    this.#range = range;
    for (const commandId of named) this.#decided.set(commandId, true);
  }

  keeps(commandId: string): boolean {
    const known = this.#decided.get(commandId);
    if (known !== undefined) return known;
    const reached = new Set([commandId]);
    const isKept = this.#isReachedByKept(reached);
    // Kept by way of one of them means kept all along the way only for the first; not kept holds for all.
    if (isKept) this.#decided.set(commandId, true);
    else for (const id of reached) this.#decided.set(id, false);
    return isKept;
  }

  /** Walks from a command to those that name it, and on, until one is kept for its own sake. */
  #isReachedByKept(reached: Set<string>): boolean {
    for (const commandId of reached) {
      const referrers = readAllForUpdate(this.#call.database, SELECT_REFERRERS, [commandId]);
      for (const row of referrers) {
        const referrer = String(row['command_id']);
        if (this.#decided.get(referrer) === true || !this.#mayGo(row)) return true;
        if (this.#decided.get(referrer) === undefined) reached.add(referrer);
      }
    }
    return false;
  }

  #mayGo(row: Row): boolean {
    if (typeof row['completed_at'] !== 'string') return false;
    const { completedAt, commandId } = toPosition(row);
    const { olderThan, newest } = this.#range;
    if (completedAt >= olderThan || completedAt > newest.completedAt) return false;
    return completedAt < newest.completedAt || commandId <= newest.commandId;
  }
}

function namedByState(state: CoordinatorState): readonly string[] {
  const { acceptedSwitchCommandId, acceptedTransferCommandId } = state;
  const owners = [acceptedSwitchCommandId, acceptedTransferCommandId].filter((id) => id !== null);
  return [...owners, ...collectCommandReferences(toStateJson(state))];
}

function toPosition(row: Row): Position {
  return { completedAt: String(row['completed_at']), commandId: String(row['command_id']) };
}
