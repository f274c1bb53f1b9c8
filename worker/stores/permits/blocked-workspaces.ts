import { readForUpdate, type StoreCall } from '../store-call';

const SELECT_ENTERED = `SELECT 1 AS found FROM local_sync_execution_permits
  WHERE permit_id = ? AND state = 'local-commit-entered'`;

/**
 * Workspaces that a writer found with a local commit of an earlier writer. Whether that apply took effect is unknown, so
 * nothing is issued or applied there until each such permit is settled.
 *
 * This object only remembers which permits to look at; whether they are still in local commit is read from the rows
 * each time, so that a settlement that was rolled back does not unblock anything.
 */
export class BlockedWorkspaces {
  readonly #pending = new Map<string, Set<string>>();

  block(workspaceId: string, permitId: string): void {
    const ids = this.#pending.get(workspaceId) ?? new Set();
    this.#pending.set(workspaceId, ids.add(permitId));
  }

  has(call: StoreCall, workspaceId: string): boolean {
    const ids = this.#pending.get(workspaceId);
    if (ids === undefined) return false;
    for (const permitId of ids) {
      if (readForUpdate(call.database, SELECT_ENTERED, [permitId]) !== undefined) return true;
    }
    return false;
  }
}
