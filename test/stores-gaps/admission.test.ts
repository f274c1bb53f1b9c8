/** Whether work may start or be applied, over every kind of coordinator there is. */
import { describe, expect, test } from 'vitest';
import { assertCommitWindow, assertDeadlineAhead, assertSteadyState } from '../../src/domain/admission';
import type { Admission } from '../../src/domain/admission';
import { refusalOf, setupStores } from '../stores/support/store-setup';

const STEADY: Admission = {
  activeWorkspaceId: 'w',
  coordinatorGeneration: 1,
  ownershipMode: 'browser-gateway',
  transitionState: 'idle',
  transferTargetMode: null,
  transferPhase: null,
};
/** The browser's gateway gives ownership to the server. */
const DRAINING: Admission = {
  ...STEADY,
  ownershipMode: 'transitioning-to-server',
  transitionState: 'transferring-ownership',
  transferTargetMode: 'server',
  transferPhase: 'draining',
};
const WORK = { workspaceId: 'w', coordinatorGeneration: 1, ownerMode: 'browser-gateway' } as const;

const enter = (admission: Partial<Admission>, work: object = {}): string =>
  refusalOf(() => assertSteadyState({ ...STEADY, ...admission }, { ...WORK, ...work }));
const apply = (admission: Admission, work: object = {}, isBlocked = false): string =>
  refusalOf(() => assertCommitWindow(admission, { ...WORK, ...work }, isBlocked));

describe('work may start', () => {
  test('in steady state under its owner, and nowhere else', () => {
    expect(enter({})).toBe('none');
    expect(enter({ coordinatorGeneration: 2, activeWorkspaceId: 'w-2' })).toBe('STALE_GENERATION');
    expect(enter({ activeWorkspaceId: 'w-2', ownershipMode: 'server' })).toBe('INACTIVE_WORKSPACE');
    expect(enter({ ownershipMode: 'server' })).toBe('PERMITS_DISABLED');
    expect(enter({ transitionState: 'switching-workspace' })).toBe('PERMITS_DISABLED');
    expect(enter(DRAINING)).toBe('PERMITS_DISABLED');
  });

  test('before its deadline, which must be readable', () => {
    expect(assertDeadlineAhead('1970-01-01T00:00:00.002Z', 1)).toBe(2);
    for (const deadlineAt of ['1970-01-01T00:00:00.001Z', '1970-01-01T00:00:00.000Z', 'tomorrow']) {
      expect(refusalOf(() => assertDeadlineAhead(deadlineAt, 1))).toBe('PERMIT_EXPIRED');
    }
  });
});

describe('an answer may be applied', () => {
  test('in steady state under its owner', () => {
    expect(apply(STEADY)).toBe('none');
    expect(apply(STEADY, { ownerMode: 'server' })).toBe('PERMITS_DISABLED');
  });

  test('while its owner is being drained, either way', () => {
    const back: Admission = {
      ...DRAINING,
      ownershipMode: 'transitioning-to-browser',
      transferTargetMode: 'browser-gateway',
    };
    for (const transferPhase of ['preparing', 'draining'] as const) {
      expect(apply({ ...DRAINING, transferPhase })).toBe('none');
      expect(apply({ ...back, transferPhase }, { ownerMode: 'server' })).toBe('none');
    }
    expect(apply(DRAINING, { ownerMode: 'server' })).toBe('PERMITS_DISABLED');
    expect(apply(back)).toBe('PERMITS_DISABLED');
  });

  test.each<[string, Partial<Admission>]>([
    ['the generation has been raised', { transferPhase: 'generation-advanced' }],
    ['the target starts', { transferPhase: 'starting-target' }],
    ['it commits', { transferPhase: 'committing' }],
    ['the row says no phase', { transferPhase: null }],
    ['the row says no target', { transferTargetMode: null }],
    ['the row says that nothing is in transition', { transitionState: 'idle' }],
    ['the row says that the workspace is switched', { transitionState: 'switching-workspace' }],
    ['the row says another owner', { ownershipMode: 'transitioning-to-browser' }],
    ['the row says that nobody owns', { ownershipMode: 'stopped' }],
  ])('no more where %s', (_what, difference) => {
    expect(apply({ ...DRAINING, ...difference })).toBe('PERMITS_DISABLED');
  });

  test('nowhere where the workspace is blocked, then in the active workspace, then at its generation', () => {
    const elsewhere: Admission = { ...STEADY, activeWorkspaceId: 'w-2', coordinatorGeneration: 2 };
    expect(apply(elsewhere, {}, true)).toBe('LOCAL_COMMIT_INVARIANT');
    expect(apply(elsewhere)).toBe('INACTIVE_WORKSPACE');
    expect(apply({ ...STEADY, coordinatorGeneration: 2 })).toBe('STALE_GENERATION');
  });
});

test('a row that says an owner in the middle of a transition admits nothing', async () => {
  const { coordinator, permits, issueInput } = await setupStores();
  coordinator.setLifecycleMode('browser-gateway', 'switching-workspace');
  expect(refusalOf(() => permits.issue(issueInput()))).toBe('PERMITS_DISABLED');
});
