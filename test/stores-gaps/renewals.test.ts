import { describe, expect, test } from 'vitest';
import { refusalOf, setupStores, toFence } from '../stores/support/store-setup';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

async function setup() {
  const setup = await setupStores();
  const permit = setup.permits.issue(setup.issueInput());
  const renew = (inMs: number, fields: object = {}): string =>
    refusalOf(() => setup.permits.renew({ ...toFence(permit), deadlineAt: setup.clock.in(inMs), ...fields }));
  const readRow = () =>
    setup.database.prepare('SELECT deadline_at, issued_deadline_at FROM local_sync_execution_permits').get();
  return { ...setup, permit, renew, readRow };
}

describe('a permit is renewed', () => {
  test('until a minute after its deadline, and no later', async () => {
    const { clock, renew } = await setup();
    clock.move(2 * MINUTE_MS + 1);
    expect(renew(MINUTE_MS)).toBe('PERMIT_EXPIRED');
    clock.move(-1);
    expect(renew(MINUTE_MS)).toBe('none');
  });

  test('to a day after its issue at most', async () => {
    const { renew } = await setup();
    expect(renew(DAY_MS + 1)).toBe('PERMIT_EXPIRED');
    expect(renew(DAY_MS)).toBe('none');
  });

  test('to a deadline ahead, that can be read', async () => {
    const { renew, clock } = await setup();
    clock.move(90_000);
    expect(renew(0)).toBe('PERMIT_EXPIRED');
    expect(renew(0, { deadlineAt: 'later' })).toBe('PERMIT_EXPIRED');
    expect(renew(1)).toBe('none');
  });

  test('not where its own instants cannot be read', async () => {
    for (const column of ['deadline_at', 'issued_at']) {
      const { renew, database } = await setup();
      database.exec(`UPDATE local_sync_execution_permits SET ${column} = 'once'`);
      expect(renew(MINUTE_MS), column).toBe('PERMIT_EXPIRED');
    }
  });

  test('and remembers the deadline it was issued with; to the same deadline nothing is written', async () => {
    const { renew, readRow, permit, clock } = await setup();
    const { deadlineAt } = permit;
    renew(MINUTE_MS);
    expect(readRow()).toEqual({ deadline_at: deadlineAt, issued_deadline_at: null });
    renew(2 * MINUTE_MS);
    renew(3 * MINUTE_MS);
    expect(readRow()).toEqual({ deadline_at: clock.in(3 * MINUTE_MS), issued_deadline_at: deadlineAt });
  });
});
