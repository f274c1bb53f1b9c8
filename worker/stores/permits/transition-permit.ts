import { STORE_CODES } from '../../../src/domain/error-codes';
import { findInstantMs, toInstant } from '../../../src/domain/instant';
import type { Permit, RenewInput, RenewOptions, TransitionInput } from '../../../src/domain/permit';
import { refuse } from '../../../src/domain/refuse';
import { decideTransition } from '../../../src/domain/transition-decision';
import { readAdmission } from '../coordinator/admission-row';
import type { StoreCall } from '../store-call';
import { movePermit, mustGetFenced } from './permit-rows';

/** Lets a request start, or records how it ended. A repeat that says the same changes nothing. */
export function transitionPermit(call: StoreCall, input: TransitionInput): Permit {
  const permit = mustGetFenced(call, input);
  const move = decideTransition(permit, input, () => readAdmission(call), call.nowMs);
  return move === null ? permit : movePermit(call, permit, move);
}

/** How long after its deadline a permit can still be renewed: a holder's timers may have slept. */
export const RENEW_GRACE_MS = 60_000;
/** No permit lives longer than this from its issue, however often it is renewed. */
export const MAX_PERMIT_LIFETIME_MS = 24 * 3_600_000;

const RENEW = `UPDATE local_sync_execution_permits
  SET deadline_at = ?, issued_deadline_at = coalesce(issued_deadline_at, deadline_at)
  WHERE permit_id = ? AND completed_at IS NULL`;

/** Moves the deadline of an active permit. Never brings it nearer, so that late repeats do no harm. */
export function renewPermit(call: StoreCall, input: RenewInput, options: RenewOptions = {}): Permit {
  const permit = mustGetFenced(call, input);
  const forgivenMs = options.forgivenMs ?? 0;
  const wantedMs = findInstantMs(input.deadlineAt);
  const deadlineMs = findInstantMs(permit.deadlineAt);
  const issuedMs = findInstantMs(permit.issuedAt);
  const isRenewable =
    permit.completedAt === null &&
    wantedMs !== undefined &&
    deadlineMs !== undefined &&
    issuedMs !== undefined &&
    call.nowMs <= deadlineMs + RENEW_GRACE_MS + forgivenMs &&
    wantedMs > call.nowMs &&
    wantedMs <= issuedMs + MAX_PERMIT_LIFETIME_MS + forgivenMs;
  if (!isRenewable) {
    return refuse(STORE_CODES.PERMIT_EXPIRED, 'The permit can no longer be renewed to this deadline.', {
      expected: `an active permit, and a deadline within ${MAX_PERMIT_LIFETIME_MS} ms of ${permit.issuedAt}`,
      actual: `${permit.state}, ${input.deadlineAt}`,
    });
  }
  if (wantedMs <= deadlineMs) return permit;
  const deadlineAt = toInstant(wantedMs);
  call.database.prepare(RENEW).run([deadlineAt, permit.permitId]);
  return { ...permit, deadlineAt };
}
