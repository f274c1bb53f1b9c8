import { describe, expect, test } from 'vitest';
import { MAX_PERMIT_LIFETIME_MS, RENEW_GRACE_MS } from '../../worker/stores/permits/transition-permit';
import { refusalOf, setupStores, toFence } from './support/store-setup';

describe('renewing a permit', () => {
  test('puts the deadline off, and nothing else changes', async () => {
    const { permits, inFlight, clock } = await setupStores();
    const permit = inFlight();
    clock.move(30_000);
    const deadlineAt = clock.in(60_000);
    expect(permits.renew({ ...toFence(permit), deadlineAt })).toEqual({ ...permit, deadlineAt });
    expect(permits.read(permit.permitId)).toEqual({ ...permit, deadlineAt });
  });

  test('never brings the deadline nearer, so a late repeat does no harm', async () => {
    const { permits, inFlight, clock } = await setupStores();
    const permit = inFlight();
    expect(permits.renew({ ...toFence(permit), deadlineAt: clock.in(1_000) })).toEqual(permit);
  });

  test('the issue that made the permit still gets its answer afterwards', async () => {
    const { permits, clock, issueInput } = await setupStores();
    const input = issueInput({ permitId: 'p' });
    const permit = permits.issue(input);
    const renewed = permits.renew({ ...toFence(permit), deadlineAt: clock.in(120_000) });
    expect(permits.issue(input)).toEqual(renewed);
    expect(refusalOf(() => permits.issue({ ...input, deadlineAt: renewed.deadlineAt }))).toBe(
      'PERMIT_IDENTITY_CONFLICT',
    );
  });

  test('is possible within the grace after the deadline, and no longer', async () => {
    const { permits, inFlight, clock } = await setupStores();
    const fence = toFence(inFlight());
    clock.move(60_000 + RENEW_GRACE_MS);
    expect(refusalOf(() => permits.renew({ ...fence, deadlineAt: clock.in(1_000) }))).toBe('none');
    clock.move(1_000 + RENEW_GRACE_MS + 1);
    expect(refusalOf(() => permits.renew({ ...fence, deadlineAt: clock.in(1_000) }))).toBe('PERMIT_EXPIRED');
  });

  test('asks for a deadline that is ahead, readable, and within the longest life', async () => {
    const { permits, inFlight, clock } = await setupStores();
    const fence = toFence(inFlight());
    for (const deadlineAt of [clock.read(), 'soon', clock.in(MAX_PERMIT_LIFETIME_MS + 1)]) {
      expect(refusalOf(() => permits.renew({ ...fence, deadlineAt }))).toBe('PERMIT_EXPIRED');
    }
    expect(refusalOf(() => permits.renew({ ...fence, deadlineAt: clock.in(MAX_PERMIT_LIFETIME_MS) }))).toBe(
      'none',
    );
  });

  test('is refused for an ended permit and for another fence', async () => {
    const { permits, issueInput, clock } = await setupStores();
    const permit = permits.issue(issueInput());
    const deadlineAt = clock.in(90_000);
    expect(refusalOf(() => permits.renew({ ...toFence(permit), serverInstanceId: 's-2', deadlineAt }))).toBe(
      'PERMIT_SERVER_MISMATCH',
    );
    permits.release(toFence(permit));
    expect(refusalOf(() => permits.renew({ ...toFence(permit), deadlineAt }))).toBe('PERMIT_EXPIRED');
  });

  test('a forward jump of the clock is forgiven where the caller noticed it', async () => {
    const { permits, inFlight, clock } = await setupStores();
    const fence = toFence(inFlight());
    const jumpMs = 30 * 86_400_000;
    clock.move(jumpMs);
    const renewal = { ...fence, deadlineAt: clock.in(60_000) };
    expect(refusalOf(() => permits.renew(renewal))).toBe('PERMIT_EXPIRED');
    expect(permits.renew(renewal, { forgivenMs: jumpMs }).deadlineAt).toBe(renewal.deadlineAt);
  });
});
