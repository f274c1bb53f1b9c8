import { describe, expect, test } from 'vitest';
import { STORE_MIGRATIONS } from '../../migrations/migrations.generated';
import { openMemory } from '../../worker/sqlite/open-memory';
import { openStores, type Stores } from '../../worker/stores';
import { CallReceipts } from '../../worker/stores/call-receipts';
import { findBroken } from './model/invariants';
import { bringToRest, findUnrest } from './model/quiescence';
import { readRows } from './model/read-rows';
import { CRASH_CASES, HOLDER, type CrashCase } from './support/crash-cases';
import { Crash, CrashingDatabase, type CrashPoint } from './support/crashing-database';
import { PROOF_SCALE } from './support/proof-scale';
import { TestClock, switchTo, type TestDatabase } from './support/store-setup';

/**
 * Every call, killed before and after each of its statements, and after its commit but before its answer. A next writer
 * recovers, and the call is made again under its id: the answer is the one the first run gave, or would have given, and
 * everything was done once.
 */

interface Life {
  readonly database: TestDatabase;
  readonly clock: TestClock;
  readonly crashing: CrashingDatabase;
  /** The stores of the writer that will be killed. */
  readonly stores: Stores;
}

/** A fresh database with the case's rows in it, and its first writer. */
async function begin<T>({ prepare }: CrashCase, use: (life: Life) => T): Promise<T> {
  const { database, close } = await openMemory();
  try {
    for (const { sql } of STORE_MIGRATIONS) database.exec(sql);
    const clock = new TestClock();
    const crashing = new CrashingDatabase(database);
    const stores = openWriter(crashing, clock, 1);
    stores.coordinator.setLifecycleMode('browser-gateway', 'idle');
    switchTo(stores, { commandId: 'boot', from: null, to: 'w', generation: 0 });
    prepare(stores, clock);
    clock.move(1_000);
    return use({ database, clock, crashing, stores });
  } finally {
    close();
  }
}

function openWriter(database: TestDatabase | CrashingDatabase, clock: TestClock, life: number): Stores {
  let ids = 0;
  return openStores({ database, clock: clock.read, newId: () => `${life}-${++ids}` });
}

/** The call under its id, as the writer makes it: answered from its receipt, or run and kept in one transaction. */
function callOnce(
  { call }: CrashCase,
  database: TestDatabase | CrashingDatabase,
  stores: Stores,
  instance: string,
  clock: TestClock,
): unknown {
  const receipts = new CallReceipts({ database, clock: clock.read });
  return database.transaction(() => {
    const known = receipts.find('call-1');
    if (known !== undefined) return known.value ?? null;
    const value = call(stores, instance, clock) ?? null;
    receipts.keep('call-1', value);
    return JSON.parse(JSON.stringify(value)) as unknown;
  });
}

/** What a host does first; the tab that made the call is still there. */
function takeOver({ database, clock }: Life, testCase: CrashCase): Stores {
  const stores = openWriter(database, clock, 2);
  if (testCase.isRecovery === true) return stores;
  stores.coordinator.recoverAfterRestart({ neverStarted: 'keep' });
  stores.permits.adoptPermits({ currentServerInstanceId: 's-2', holderIds: [HOLDER] });
  stores.permits.recoverPriorServerPermits({ currentServerInstanceId: 's-2' });
  return stores;
}

/** Rows and answer, without what tells the two writers apart: ids of their own, and who holds what. */
function normalize(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/"s-[12]"/g, '"s"')
    .replaceAll(/"[12]-(\d+)"/g, '"id-$1"');
  return JSON.parse(text) as unknown;
}

/** The call as it goes when nobody dies: how many statements it has, and what it comes to. */
function runWhole(testCase: CrashCase) {
  return begin(testCase, (life) => {
    life.crashing.arm();
    const answer = callOnce(testCase, life.crashing, life.stores, 's-1', life.clock);
    const statements = life.crashing.statements;
    takeOver(life, testCase);
    return { statements, answer: normalize(answer), rows: normalize(readRows(life.database)) };
  });
}

/** The call that only the second writer makes: what a crash before the commit must come to. */
function runLate(testCase: CrashCase) {
  return begin(testCase, (life) => {
    const stores = takeOver(life, testCase);
    const answer = callOnce(testCase, life.database, stores, 's-2', life.clock);
    return { answer: normalize(answer), rows: normalize(readRows(life.database)) };
  });
}

function runKilled(testCase: CrashCase, point: CrashPoint) {
  return begin(testCase, (life) => {
    const before = readRows(life.database);
    life.crashing.arm(point);
    const kill = (): unknown => callOnce(testCase, life.crashing, life.stores, 's-1', life.clock);
    expect(kill).toThrow(Crash);
    const after = readRows(life.database);
    const wasCommitted = point.at === 'after-commit';
    if (!wasCommitted) expect(after).toEqual(before);
    expect(findBroken(before, after)).toBeUndefined();

    const stores = takeOver(life, testCase);
    const recovered = readRows(life.database);
    expect(findBroken(after, recovered)).toBeUndefined();
    const answer = callOnce(testCase, life.database, stores, 's-2', life.clock);
    const rows = readRows(life.database);
    expect(findBroken(recovered, rows)).toBeUndefined();
    const again = callOnce(testCase, life.database, stores, 's-2', life.clock);
    expect(again).toEqual(answer);
    const outcome = { answer: normalize(answer), rows: normalize(rows) };

    bringToRest(life.database, life.clock);
    expect(findUnrest(life.database)).toEqual([]);
    return outcome;
  });
}

/** Every point of a call; in a normal run every other one, each kind in turn. */
function pointsOf(statements: number): readonly CrashPoint[] {
  const all = Array.from({ length: statements }, (_, index): CrashPoint[] => {
    const statement = index + 1;
    const both: CrashPoint[] = [
      { at: 'before', statement },
      { at: 'after', statement },
    ];
    return PROOF_SCALE > 1 ? both : both.slice(index % 2, (index % 2) + 1);
  });
  return [...all.flat(), { at: 'after-commit' }];
}

describe('a call whose writer is killed has happened once, or not at all, and is answered by the next writer', () => {
  test.each(Object.entries(CRASH_CASES))('%s', { timeout: 60_000 * PROOF_SCALE }, async (_name, testCase) => {
    const whole = await runWhole(testCase);
    const late = await runLate(testCase);
    expect(whole.statements).toBeGreaterThan(0);
    for (const point of pointsOf(whole.statements)) {
      const { answer, rows } = await runKilled(testCase, point);
      const expected = point.at === 'after-commit' ? whole : late;
      const where = JSON.stringify(point);
      expect(answer, where).toEqual(expected.answer);
      expect(rows, where).toEqual(expected.rows);
    }
  });
});
