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

const FIND_OLD = 'SELECT 1 AS found FROM local_sync_coordinator_commands WHERE completed_at < ? LIMIT 1';
const NEWEST_TO_GO = `SELECT completed_at, command_id FROM local_sync_coordinator_commands
  WHERE completed_at IS NOT NULL ORDER BY completed_at DESC, command_id DESC LIMIT 1 OFFSET ?`;
/** References apart: finished before an instant, and not among the newest. */
const MAY_GO = 'c.completed_at < ?1 AND (c.completed_at, c.command_id) <= (?2, ?3)';
const SELECT_CANDIDATES = `SELECT c.command_id, c.completed_at FROM local_sync_coordinator_commands c
  WHERE ${MAY_GO} AND (c.completed_at, c.command_id) > (?4, ?5)
  ORDER BY c.completed_at, c.command_id LIMIT ?6`;
const SELECT_REFERRERS = `SELECT c.command_id, ${MAY_GO} AS may_go FROM local_sync_command_references r
  JOIN local_sync_coordinator_commands c ON c.command_id = r.command_id WHERE r.referenced_command_id = ?4`;
const DELETE_COMMAND = 'DELETE FROM local_sync_coordinator_commands WHERE command_id = ?';
const DELETE_REFERENCES = 'DELETE FROM local_sync_command_references WHERE command_id = ?';

/** Deletes one slice, oldest first; returns how many went. */
export function pruneCommands(call: StoreCall): number {
  const olderThan = toRetentionLimit(call.nowMs);
  if (readForUpdate(call.database, FIND_OLD, [olderThan]) === undefined) return 0;
  const newest = readForUpdate(call.database, NEWEST_TO_GO, [KEPT_NEWEST]);
  if (newest === undefined) return 0;

  const range: Range = [olderThan, ...toPosition(newest)];
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

/** When a command was finished, and its id. */
type Position = readonly [completedAt: string, commandId: string];
/** The parameters of MAY_GO. */
type Range = readonly [olderThan: string, ...newestToGo: Position];

function* candidates(call: StoreCall, range: Range): Generator<string> {
  let after: Position = ['', ''];
  for (;;) {
    const rows = readAllForUpdate(call.database, SELECT_CANDIDATES, [
      ...range,
      ...after,
      COMMAND_PRUNE_LIMIT,
    ]);
    for (const row of rows) {
      after = toPosition(row);
      yield after[1];
    }
    if (rows.length < COMMAND_PRUNE_LIMIT) return;
  }
}

/** Decides which of the old commands somebody still needs. */
class Keeper {
  readonly #call: StoreCall;
  readonly #range: Range;
  readonly #named: ReadonlySet<string>;
  /** Found to be needed by nobody: asked once, however many a walk meets. */
  readonly #needless = new Set<string>();

  constructor(call: StoreCall, range: Range, named: readonly string[]) {
    this.#call = call;
    this.#range = range;
    this.#named = new Set(named);
  }

  keeps(commandId: string): boolean {
    if (this.#needless.has(commandId)) return false;
    const reached = new Set([commandId]);
    if (this.#isReachedByKept(reached)) return true;
    for (const id of reached) this.#needless.add(id);
    return false;
  }

  /** Walks from a command to those that name it, and on, until one is kept for its own sake. */
  #isReachedByKept(reached: Set<string>): boolean {
    for (const commandId of reached) {
      if (this.#named.has(commandId)) return true;
      const referrers = readAllForUpdate(this.#call.database, SELECT_REFERRERS, [...this.#range, commandId]);
      for (const row of referrers) {
        if (row['may_go'] !== 1) return true;
        reached.add(String(row['command_id']));
      }
    }
    return false;
  }
}

function namedByState(state: CoordinatorState): readonly string[] {
  const { acceptedSwitchCommandId, acceptedTransferCommandId } = state;
  const owners = [acceptedSwitchCommandId, acceptedTransferCommandId].filter((id) => id !== null);
  return [...owners, ...collectCommandReferences(toStateJson(state))];
}

function toPosition(row: Row): Position {
  return [String(row['completed_at']), String(row['command_id'])];
}
