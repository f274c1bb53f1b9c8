/** An apply that fails again and again leaves one obligation; one for anything else it leaves beside that. */
import { expect, test } from 'vitest';
import { setupStores, toFence } from '../stores/support/store-setup';

const OBLIGATIONS = 'UPDATE local_sync_recovery_obligations SET';
const PERMITS = 'UPDATE local_sync_execution_permits SET';
const APPLY_FAILED = 'WORKSPACE_SYNC_V3_APPLY_NOT_COMMITTED';

async function setup() {
  const setup = await setupStores();
  const { permits, answered, database } = setup;
  const fail = (errorCode = APPLY_FAILED): void => {
    const permit = answered(
      { operationClass: 'v3-dispatch', operationIdentity: 'op', lastCommittedCursor: { page: 1 } },
      'accepted',
    );
    permits.abandonPermit({ ...toFence(permit), errorCode });
  };
  const count = (): number => database.prepare('SELECT 1 FROM local_sync_recovery_obligations').all().length;
  return { ...setup, fail, count };
}

test.each([APPLY_FAILED, 'WORKSPACE_SYNC_V3_ATTACHMENT_HYDRATION_NOT_COMMITTED'])(
  'the same again leaves no second: %s',
  async (errorCode) => {
    const { fail, count, permits } = await setup();
    fail(errorCode);
    const [first] = permits.listOpenRecoveryObligations('w');
    fail(errorCode);
    expect(count()).toBe(1);
    expect(permits.listOpenRecoveryObligations('w')).toEqual([first]);
  },
);

test('any other code leaves one each time', async () => {
  const { fail, count } = await setup();
  fail('X');
  fail('X');
  expect(count()).toBe(2);
});

test.each([
  ['of another workspace', `${OBLIGATIONS} workspace_id = 'w-2'`],
  ['of another class', `${OBLIGATIONS} operation_class = 'push'`],
  ['of another operation', `${OBLIGATIONS} operation_identity = 'another'`],
  ['that is resolved', `${OBLIGATIONS} resolved_at = 'x'`],
  ['of unknown fate', `${OBLIGATIONS} upstream_disposition = 'unknown'`],
  ['from another cursor', `${OBLIGATIONS} last_committed_cursor_json = NULL`],
  ['of another stream', `${OBLIGATIONS} stream = 'another'`],
  ['left for another reason', `${PERMITS} error_code = 'X'`],
  ['whose permit is gone', 'DELETE FROM local_sync_execution_permits'],
])('an open one %s does not count', async (_which, sql) => {
  const { fail, count, database } = await setup();
  fail();
  database.exec(sql);
  fail();
  expect(count()).toBe(2);
});

test('only a permit that an obligation names says so, and retention looks at that', async () => {
  const { fail, database } = await setup();
  fail();
  fail();
  const rows = database.prepare('SELECT is_obliged FROM local_sync_execution_permits ORDER BY rowid').all();
  expect(rows).toEqual([{ is_obliged: 1 }, { is_obliged: 0 }]);
});

test('what abandoning returns is what is read after it', async () => {
  const { permits, answered } = await setup();
  for (const disposition of ['accepted', 'rejected'] as const) {
    const permit = answered({}, disposition);
    expect(permits.abandonPermit(toFence(permit))).toEqual(permits.read(permit.permitId));
  }
});
