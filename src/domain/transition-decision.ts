import { assertEntryOpen, type Admission } from './admission';
import { STORE_CODES } from './error-codes';
import { isGiven } from './is-given';
import { isMutation } from './operation-class';
import type { Permit, TransitionInput } from './permit';
import { findTransitionEdge, type PermitEdge } from './permit-machine';
import type { PermitState, UpstreamDisposition } from './permit-vocabulary';
import { refuse } from './refuse';

export interface TransitionMove {
  readonly to: PermitState;
  readonly upstreamDisposition: UpstreamDisposition;
  readonly operationIdentity: string | null;
  readonly errorCode: string | null;
}

/**
 * Decides a transition of a permit whose fence was checked: the move to make, or null where it was made before and
 * the repeat says the same. Recording a completion asks nothing of the coordinator, because what is known of the
 * upstream is always worth keeping; starting a request is checked anew each time, repeats included.
 */
export function decideTransition(
  permit: Permit,
  input: TransitionInput,
  readAdmission: () => Admission,
  nowMs: number,
): TransitionMove | null {
  const edge = findTransitionEdge(permit.operationClass, input.expectedState, input.nextState);
  if (edge?.leaves === undefined || !leavesGiven(edge, input)) return refuseMove(permit, input);
  const assertMayStart = (): void => {
    if (edge.to === 'gateway-in-flight') assertEntryOpen(readAdmission(), permit, nowMs);
  };

  if (permit.state === edge.to) {
    assertSameOutcome(permit, input);
    assertMayStart();
    return null;
  }
  if (permit.state !== input.expectedState) return refuseMove(permit, input);
  assertMayStart();
  return {
    to: edge.to,
    upstreamDisposition: input.upstreamDisposition ?? edge.leaves[0],
    operationIdentity: bindIdentity(permit, input),
    errorCode: input.errorCode ?? null,
  };
}

function leavesGiven(edge: PermitEdge, input: TransitionInput): boolean {
  return !isGiven(input.upstreamDisposition) || edge.leaves?.includes(input.upstreamDisposition) === true;
}

function assertSameOutcome(permit: Permit, input: TransitionInput): void {
  if (isGiven(input.upstreamDisposition) && input.upstreamDisposition !== permit.upstreamDisposition) {
    refuse(STORE_CODES.PERMIT_STATE_CONFLICT, 'The transition was made with another disposition.', {
      expected: permit.upstreamDisposition,
      actual: input.upstreamDisposition,
    });
  }
  if (isGiven(input.operationIdentity)) assertIdentity(permit, input.operationIdentity);
}

/** Set once and only on mutations, which must have theirs before they go out. */
function bindIdentity(permit: Permit, input: TransitionInput): string | null {
  const given = input.operationIdentity;
  if (isGiven(given)) {
    if (permit.operationIdentity !== null || !isMutation(permit.operationClass)) {
      assertIdentity(permit, given);
    }
    return given;
  }
  if (permit.operationIdentity === null && isMutation(permit.operationClass)) {
    refuse(
      STORE_CODES.PERMIT_IDENTITY_CONFLICT,
      'A mutation needs its operation identity before it starts.',
      {
        expected: 'an operation identity',
        actual: null,
      },
    );
  }
  return permit.operationIdentity;
}

function assertIdentity(permit: Permit, given: string): void {
  if (permit.operationIdentity === given) return;
  refuse(STORE_CODES.PERMIT_IDENTITY_CONFLICT, 'The permit stands for another operation.', {
    expected: permit.operationIdentity,
    actual: given,
  });
}

function refuseMove(permit: Permit, input: TransitionInput): never {
  return refuse(
    STORE_CODES.PERMIT_STATE_CONFLICT,
    `A ${permit.operationClass} permit in ${permit.state} cannot be moved from ${input.expectedState} to ${input.nextState}.`,
    {
      expected: input.expectedState,
      actual: permit.state,
    },
  );
}
