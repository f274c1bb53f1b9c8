import { describe, expect, test } from 'vitest';
import type { Fence } from '../../src/domain/permit';
import {
  PERMIT_MACHINE,
  findPermitEdge,
  findTransitionEdge,
  type PermitEdge,
  type PermitMeans,
} from '../../src/domain/permit-machine';
import { PERMIT_STATES, TERMINAL_PERMIT_STATES, type PermitState } from '../../src/domain/permit-vocabulary';
import { TRANSFER_MACHINE } from '../../src/domain/transfer-machine';
import { PUSH_BOUNDARY, SITUATIONS, placePermit, type Situation } from './support/permit-situations';
import { refusalOf, setupStores, type StoreSetup } from './support/store-setup';

/** How each means is used on one permit. */
const USE: Readonly<
  Record<Exclude<PermitMeans, 'transition'>, (setup: StoreSetup, fence: Fence) => unknown>
> = {
  'enter-local-commit': ({ permits }, fence) => permits.enterLocalCommit(fence),
  'complete-local-commit': ({ permits }, fence) => permits.completeLocalCommit(fence),
  'complete-push': ({ permits }, fence) =>
    permits.completeAcceptedPushWithoutEcho({
      ...fence,
      permitIds: [fence.permitId],
      ownerMode: 'browser-gateway',
      pushBoundary: PUSH_BOUNDARY,
    }),
  'complete-dispatch': ({ permits }, fence) =>
    permits.completeAcceptedV3Dispatch(
      { ...fence, ownerMode: 'browser-gateway', operationIdentity: 'op-1' },
      () => null,
    ),
  release: ({ permits }, fence) => permits.release(fence),
  acknowledge: ({ permits }, fence) =>
    permits.acknowledgeNonApplyingCompletion({ ...fence, ownerMode: 'browser-gateway' }),
  abandon: ({ permits }, fence) => permits.abandonPermit(fence),
  drain: ({ permits }, fence) => permits.abandonNeverStartedForDrain(fence),
  expiry: ({ permits, clock }, fence) => {
    clock.move(120_000);
    permits.recoverExpiredPermits({ workspaceId: 'w', currentServerInstanceId: fence.serverInstanceId });
  },
  restart: ({ permits }) => permits.recoverPriorServerPermits({ currentServerInstanceId: 's-2' }),
  'holder-gone': ({ permits }) =>
    permits.abandonHolderPermits({ holderId: 'tab-1', currentServerInstanceId: 's-1' }),
  'settle-committed': ({ permits }, { permitId }) =>
    permits.settleInterruptedLocalCommit({ workspaceId: 'w', permitId, outcome: 'committed', evidence: 1 }),
  'settle-not-committed': ({ permits }, { permitId }) =>
    permits.settleInterruptedLocalCommit({
      workspaceId: 'w',
      permitId,
      outcome: 'not-committed',
      evidence: 1,
    }),
};

/** Some means end in two steps of one transaction; this is where they leave the permit. */
function endOf(edge: PermitEdge, by: PermitMeans): PermitState {
  return by === 'complete-push' || by === 'complete-dispatch' ? 'released' : edge.to;
}

/** `complete-push` and `complete-dispatch` start from an answer; their second edge is taken in the same breath. */
function mayTake(situation: Situation, by: PermitMeans): PermitEdge | undefined {
  const first = by === 'complete-push' || by === 'complete-dispatch' ? 'local-commit-entered' : undefined;
  return findPermitEdge(situation, by, first);
}

/** Tries something in every situation, each from the same start. */
function forEachUndone({ database }: StoreSetup, attempt: (situation: Situation) => void): void {
  const undo = new Error('undo');
  for (const situation of SITUATIONS) {
    const attempted = (): void =>
      database.transaction(() => {
        attempt(situation);
        throw undo;
      });
    expect(attempted).toThrow(undo);
  }
}

const nameOf = ({ operationClass, state, upstreamDisposition }: Situation): string =>
  `a ${operationClass} in ${state}, ${upstreamDisposition}`;

describe('the permit machine', () => {
  test.each(TERMINAL_PERMIT_STATES)('%s is an end', (state) => {
    expect(PERMIT_MACHINE[state]).toEqual([]);
  });

  test('every edge can be taken from some situation, and leads into one that can exist', () => {
    for (const [state, edges] of Object.entries(PERMIT_MACHINE)) {
      const all: readonly PermitEdge[] = edges;
      for (const edge of all) {
        const fits = SITUATIONS.filter(
          (situation) =>
            situation.state === state &&
            edge.by.some((by) => findPermitEdge(situation, by, edge.to) === edge),
        );
        expect(fits.length, `${state} → ${edge.to} by ${edge.by.join(', ')}`).toBeGreaterThan(0);
      }
    }
  });

  for (const by of Object.keys(USE) as (keyof typeof USE)[]) {
    test(`${by} moves exactly the permits the table says, and touches no other`, async () => {
      const setup = await setupStores();
      forEachUndone(setup, (situation) => {
        const fence = placePermit(setup, 'p', situation);
        const before = setup.permits.read('p');
        const refusal = refusalOf(() => USE[by](setup, fence));
        const after = setup.permits.read('p');
        const edge = mayTake(situation, by);
        const what = `${by}: ${nameOf(situation)}`;
        if (edge === undefined) {
          expect(after, what).toEqual(before);
        } else {
          expect(refusal, what).toBe('none');
          expect(after?.state, what).toBe(endOf(edge, by));
        }
        const obligations = setup.permits.listOpenRecoveryObligations('w').length;
        expect(obligations, what).toBe(edge?.to === 'abandoned-reconcile-required' ? 1 : 0);
      });
    });
  }

  test('transition moves along its own edges only, for every pair of states', async () => {
    const setup = await setupStores();
    forEachUndone(setup, (situation) => {
      for (const to of PERMIT_STATES) {
        const fence = placePermit(setup, `p-${to}`, situation);
        const refusal = refusalOf(() =>
          setup.permits.transition({ ...fence, expectedState: situation.state, nextState: to }),
        );
        const edge = findTransitionEdge(situation.operationClass, situation.state, to);
        const what = `${nameOf(situation)} → ${to}`;
        expect(refusal, what).toBe(edge === undefined ? 'PERMIT_STATE_CONFLICT' : 'none');
        expect(setup.permits.read(fence.permitId)?.state, what).toBe(edge?.to ?? situation.state);
      }
    });
  });
});

describe('the transfer machine', () => {
  test('every phase but the last leads on, for either target', () => {
    for (const [phase, edges] of Object.entries(TRANSFER_MACHINE)) {
      const targets: readonly string[] = edges.flatMap((edge) => edge.targets);
      if (phase === 'committing') expect(edges).toEqual([]);
      else if (phase === 'starting-target') expect(targets).toEqual(['server']);
      else if (phase === 'stopping-source') expect(targets).toEqual(['browser-gateway']);
      else expect([...new Set(targets)].sort()).toEqual(['browser-gateway', 'server']);
    }
  });

  test('only draining leads to a raised generation, and only by raising it', () => {
    const leading = Object.entries(TRANSFER_MACHINE).flatMap(([from, edges]) =>
      edges.filter((edge) => edge.to === 'generation-advanced').map((edge) => [from, edge.by]),
    );
    expect(leading).toEqual([['draining', 'raise-generation']]);
  });
});
