import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { STORE_MIGRATIONS } from '../../migrations/migrations.generated';
import { openMemory } from '../../worker/sqlite/open-memory';
import { CoordinatorStore } from '../../worker/stores/coordinator-store';
import { CursorStore } from '../../worker/stores/cursor-store';
import { PermitStore } from '../../worker/stores/permit-store';
import { INVARIANTS } from './model/invariants';
import { Lockstep } from './model/lockstep';
import { Picker } from './model/picker';
import { bringToRest, findUnrest } from './model/quiescence';
import { ACTIONS, CHOICES } from './model/world-actions';
import { PROOF_SCALE } from './support/proof-scale';
import { TestClock, envelope, REQUESTED_BY } from './support/store-setup';

interface Planned {
  readonly choice: number;
  readonly seeds: readonly number[];
}

const planned: fc.Arbitrary<Planned> = fc.record({
  choice: fc.nat(CHOICES.length - 1),
  seeds: fc.array(fc.nat(999), { minLength: 12, maxLength: 12 }),
});

/** A workspace is made active first; without one nothing else happens. */
function activateFirstWorkspace(lock: Lockstep): string | undefined {
  const { stores, coordinator } = lock;
  const boot = envelope({
    commandId: 'boot',
    workspaceId: null,
    expectedCoordinatorGeneration: 0,
    type: 'SwitchWorkspace',
  });
  const begin = {
    commandId: 'boot',
    expectedGeneration: 0,
    expectedActiveWorkspaceId: null,
    targetWorkspaceId: 'w',
    requestedBy: REQUESTED_BY,
  };
  const complete = { commandId: 'boot', targetWorkspaceId: 'w' };
  return (
    lock.step(
      () => stores.coordinator.setLifecycleMode('browser-gateway', 'idle'),
      () => coordinator.setLifecycleMode('browser-gateway', 'idle'),
    ) ??
    lock.step(
      () => stores.coordinator.acceptCommand(boot),
      () => coordinator.accept(boot),
    ) ??
    lock.step(
      () => stores.coordinator.beginWorkspaceSwitch(begin),
      () => coordinator.beginSwitch(begin),
    ) ??
    lock.step(
      () => stores.coordinator.markCommandRunning('boot'),
      () => coordinator.markRunning('boot'),
    ) ??
    lock.step(
      () => stores.coordinator.completeWorkspaceSwitch(complete),
      () => coordinator.completeSwitch(complete),
    )
  );
}

/** Runs a plan; a failure names the steps that led there. */
async function runPlan(plan: readonly Planned[], reached: Set<string>): Promise<void> {
  const { database, close } = await openMemory();
  try {
    for (const { sql } of STORE_MIGRATIONS) database.exec(sql);
    const clock = new TestClock();
    const lock = new Lockstep(database, clock, reached);
    const names: string[] = [];
    let difference = activateFirstWorkspace(lock);
    for (const { choice, seeds } of plan) {
      if (difference !== undefined) break;
      const name = CHOICES[choice] ?? 'tick';
      names.push(name);
      const steps = ACTIONS[name];
      if (steps === undefined) throw new Error(`no action ${name}`);
      for (const step of steps(lock, new Picker(seeds))) {
        const { call, model } = step();
        difference ??= lock.step(call, model);
      }
    }
    expect(difference, names.join(', ')).toBeUndefined();
    bringToRest(database, clock);
    expect(findUnrest(database), `after ${names.join(', ')}`).toEqual([]);
  } finally {
    close();
  }
}

function methodsOf(store: { readonly prototype: object }): readonly string[] {
  return Object.getOwnPropertyNames(store.prototype).filter((name) => name !== 'constructor');
}

/** Methods the model does not tell again, tested elsewhere; reads of what is compared after every step anyway. */
const LEFT_OUT = new Set([
  'heartbeatCommand',
  'listQuarantined',
  'readCommandProgress',
  'recordCommandProgress',
  'read',
  'readCommand',
  'readCommittedCursor',
]);

describe('the stores and a naive telling of their rules', () => {
  test(
    'agree on every answer and every row, keep every invariant, and can always come to rest',
    { timeout: 600_000 * PROOF_SCALE },
    async () => {
      const reached = new Set<string>();
      await fc.assert(
        fc.asyncProperty(fc.array(planned, { minLength: 20, maxLength: 120, size: 'max' }), (plan) =>
          runPlan(plan, reached),
        ),
        // The short form is the same each time; the long one explores, and a failure tells its seed.
        { numRuns: 100 * PROOF_SCALE, ...(PROOF_SCALE === 1 ? { seed: 1 } : {}) },
      );
      // Every method must have come to a result, or nothing was proved about it.
      const methods = [CoordinatorStore, PermitStore, CursorStore].flatMap(methodsOf);
      expect(new Set(methods.filter((method) => !reached.has(method)))).toEqual(LEFT_OUT);
    },
  );

  test('name each invariant once', () => {
    expect(new Set(INVARIANTS.map(({ id }) => id)).size).toBe(INVARIANTS.length);
  });
});
