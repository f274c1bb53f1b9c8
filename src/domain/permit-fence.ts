import { STORE_CODES } from './error-codes';
import type { Fence, Permit } from './permit';
import { refuse } from './refuse';

/** Passes a permit on to a caller that names it rightly: it exists, and instance, generation and workspace agree. */
export function mustMatchFence(permit: Permit | null, fence: Fence): Permit {
  if (permit === null) {
    return refuse(STORE_CODES.PERMIT_NOT_FOUND, `There is no permit "${fence.permitId}".`, {
      expected: fence.permitId,
      actual: null,
    });
  }
  if (permit.serverInstanceId !== fence.serverInstanceId) {
    return refuse(STORE_CODES.PERMIT_SERVER_MISMATCH, 'The permit belongs to another server instance.', {
      expected: permit.serverInstanceId,
      actual: fence.serverInstanceId,
    });
  }
  if (permit.coordinatorGeneration !== fence.coordinatorGeneration) {
    return refuse(STORE_CODES.STALE_GENERATION, 'The permit belongs to another generation.', {
      expected: permit.coordinatorGeneration,
      actual: fence.coordinatorGeneration,
    });
  }
  if (permit.workspaceId !== fence.workspaceId) {
    return refuse(STORE_CODES.INACTIVE_WORKSPACE, 'The permit belongs to another workspace.', {
      expected: permit.workspaceId,
      actual: fence.workspaceId,
    });
  }
  return permit;
}
