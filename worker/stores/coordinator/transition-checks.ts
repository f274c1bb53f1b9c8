import type { CoordinatorState } from '../../../src/domain/coordinator-state';
import { STORE_CODES } from '../../../src/domain/error-codes';
import { refuse } from '../../../src/domain/refuse';

/** The caller's picture of the coordinator has passed. */
export function refuseStale(state: CoordinatorState, message: string, actual: unknown): never {
  const { coordinatorGeneration, ownershipMode, transitionState } = state;
  return refuse(STORE_CODES.STALE_GENERATION, message, {
    expected: { coordinatorGeneration, ownershipMode, transitionState },
    actual,
  });
}
