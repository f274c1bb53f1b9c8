/** A drain looks at one workspace under one generation. */
import { describe, expect, test } from 'vitest';
import { refusalOf, setupStores, toFence } from '../stores/support/store-setup';

const PERMITS = 'UPDATE local_sync_execution_permits SET';
const SCOPE = { workspaceId: 'w', coordinatorGeneration: 1 } as const;

/** One permit of each kind that a drain of the scope passes over, and `p` that it finds. */
async function setup() {
  const setup = await setupStores();
  const { permits, issueInput, database, answered, inFlight } = setup;
  for (const permitId of ['elsewhere', 'earlier', 'odd', 'p']) permits.issue(issueInput({ permitId }));
  database.exec(`${PERMITS} workspace_id = 'w-2' WHERE permit_id = 'elsewhere';
    ${PERMITS} coordinator_generation = 0 WHERE permit_id = 'earlier';
    ${PERMITS} upstream_disposition = NULL WHERE permit_id = 'odd'`);
  permits.release(toFence(permits.issue(issueInput({ permitId: 'released' }))));
  inFlight({ permitId: 'out' });
  permits.abandonPermit(toFence(answered({ permitId: 'abandoned' }, 'accepted')));
  return setup;
}

describe('an inspection', () => {
  test('tells the active permits of its workspace and generation', async () => {
    const { permits } = await setup();
    const found = permits.inspectGenerationDrain(SCOPE);
    expect(found).toMatchObject({
      ...SCOPE,
      active: 3,
      byState: { 'issued-idle': 2, 'gateway-in-flight': 1 },
      truncated: false,
      cleanAbandonEligible: 1,
      recoveryObligations: 1,
    });
    expect(found.permits.map(({ permitId }) => permitId)).toEqual(['odd', 'out', 'p']);
  });

  test('counts a permit whose state is none as active, and under no state', async () => {
    const { permits, database } = await setup();
    database.exec(`PRAGMA ignore_check_constraints = ON; ${PERMITS} state = 'lost' WHERE permit_id = 'p'`);
    const { active, byState } = permits.summarize('w');
    expect({ active, byState }).toEqual({
      active: 4,
      byState: { 'issued-idle': 2, 'gateway-in-flight': 1 },
    });
  });

  test.each([
    ['another workspace', `workspace_id = 'w-2'`],
    ['no more', `resolved_at = 'x'`],
  ])('does not count an obligation of %s', async (_whose, assignment) => {
    const { permits, database } = await setup();
    database.exec(`UPDATE local_sync_recovery_obligations SET ${assignment}`);
    expect(permits.inspectGenerationDrain(SCOPE).recoveryObligations).toBe(0);
  });

  test('counts an obligation by the generation of its permit, and as of the first where that is gone', async () => {
    const { permits, database } = await setup();
    const count = (coordinatorGeneration: number): number =>
      permits.inspectGenerationDrain({ workspaceId: 'w', coordinatorGeneration }).recoveryObligations;
    expect([count(0), count(1), count(2)]).toEqual([0, 1, 0]);
    database.exec(`DELETE FROM local_sync_execution_permits WHERE permit_id = 'abandoned'`);
    expect([count(0), count(1), count(2)]).toEqual([1, 0, 0]);
  });

  test('shows a hundred where no limit is given, in order of issue and then of id', async () => {
    const { permits, issueInput, clock } = await setupStores();
    for (let i = 0; i < 51; i++) permits.issue(issueInput({ permitId: `z-${100 - i}` }));
    clock.move(1);
    for (let i = 0; i < 50; i++) permits.issue(issueInput({ permitId: `a-${100 + i}` }));
    const found = permits.inspectGenerationDrain(SCOPE);
    expect(found).toMatchObject({ active: 101, truncated: true });
    const ids = found.permits.map(({ permitId }) => permitId);
    expect(ids).toHaveLength(100);
    expect([ids[0], ids[50], ids[51], ids[99]]).toEqual(['z-100', 'z-99', 'a-100', 'a-148']);
    expect(permits.inspectGenerationDrain({ ...SCOPE, limit: 101 }).truncated).toBe(false);
    expect(permits.inspectGenerationDrain({ ...SCOPE, limit: 500 }).permits).toHaveLength(101);
    expect(refusalOf(() => permits.inspectGenerationDrain({ ...SCOPE, limit: 501 }))).toBe('LIMIT_INVALID');
  });
});

describe('abandoning what never started', () => {
  test('ends that alone, and tells what is left', async () => {
    const { permits, issueInput } = await setup();
    permits.issue(issueInput({ permitId: 'a' }));
    expect(permits.abandonNeverStartedForDrain({ ...SCOPE, limit: 1 })).toEqual({
      abandonedPermitIds: ['a'],
      remainingEligible: 1,
    });
    expect(permits.abandonNeverStartedForDrain(SCOPE)).toEqual({
      abandonedPermitIds: ['p'],
      remainingEligible: 0,
    });
    for (const permitId of ['elsewhere', 'earlier', 'odd']) {
      expect(permits.read(permitId)?.state, permitId).toBe('issued-idle');
    }
    expect(permits.read('out')?.state).toBe('gateway-in-flight');
  });
});
