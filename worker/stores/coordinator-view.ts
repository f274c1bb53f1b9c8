import type { CoordinatorView } from '../../src/protocol/discovery';
import type { Database } from '../database';

const READ = `SELECT active_workspace_id, coordinator_generation, local_data_version, ownership_mode, transition_state
  FROM local_sync_coordinator_state`;

/** What every tab is told after a commit; the values before the first row where there is none. */
export function readCoordinatorView(database: Database): CoordinatorView {
  const row = database.prepare(READ).get() ?? {};
  const workspaceId = row['active_workspace_id'];
  return {
    workspaceId: typeof workspaceId === 'string' ? workspaceId : null,
    generation: Number(row['coordinator_generation'] ?? 0),
    localDataVersion: Number(row['local_data_version'] ?? 0),
    ownershipMode: String(row['ownership_mode'] ?? 'stopped'),
    transitionState: String(row['transition_state'] ?? 'idle'),
  };
}

export function isSameView(a: CoordinatorView, b: CoordinatorView): boolean {
  return (
    a.workspaceId === b.workspaceId &&
    a.generation === b.generation &&
    a.localDataVersion === b.localDataVersion &&
    a.ownershipMode === b.ownershipMode &&
    a.transitionState === b.transitionState
  );
}
