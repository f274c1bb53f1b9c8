/** A deploy while tabs are open: the newer build takes the database over, and the older is told, never half served. */
import { describe, expect, test } from 'vitest';
import { times } from '../../support/times';
import type { BuildName } from '../pages/ledger-builds';
import type { JoinOptions } from '../pages/ledger';
import {
  countWriterLocks,
  freshDatabase,
  joinLedger,
  mustBeOk,
  openLedgerTab,
  pause,
  readOrder,
  shouldFailWith,
  type LedgerTab,
} from './setup';

const READY_WITHIN_MS = 10_000;

function of(build: BuildName): JoinOptions {
  return { faults: `build=${build}` };
}

/** The page was told once, says so in its status, and so ends whatever it asks. */
async function shouldBeOutdated(tab: LedgerTab): Promise<void> {
  await tab.call('waitForConnection', 'outdated');
  expect(await tab.call('readUpgrades')).toEqual(['UPGRADE_REQUIRED']);
  const asked = await tab.call('mutate', 'append', 'too-late', 0);
  expect(asked).toMatchObject({
    ok: false,
    code: 'UPGRADE_REQUIRED',
    details: { call: 'app.mutate', outcome: 'not-executed' },
  });
  shouldFailWith(await tab.call('query', 'count'), 'UPGRADE_REQUIRED');
}

describe('a newer schema', () => {
  test('that comes second has the database within ten seconds; each older tab is told, and none of them stands again', async () => {
    const db = freshDatabase();
    const older = [await joinLedger(db), await joinLedger(db), await joinLedger(db)] as const;
    for (const [n, tab] of older.entries()) mustBeOk(await tab.call('mutate', 'append', 'old', n));
    const startedMs = performance.now();
    const newer = await joinLedger(db, of('newer'));
    mustBeOk(await newer.call('mutate', 'append', 'new', 0));
    expect(performance.now() - startedMs).toBeLessThan(READY_WITHIN_MS);
    const { writer, role } = await newer.call('readStatus');
    expect({ role, epoch: writer?.epoch, schema: writer?.build.schema.app }).toEqual({
      role: 'writer',
      epoch: 2, // one hand-over, however many old tabs stand in line
      schema: 2,
    });
    for (const tab of older) await shouldBeOutdated(tab);
    expect(await readOrder(newer)).toBe('old0 old1 old2 new0');
    await newer.close();
    await pause(1_500);
    expect(await countWriterLocks(db), 'nobody stands').toBe(0);
    const again = await joinLedger(db, of('newer'));
    expect((await again.call('readStatus')).writer?.epoch).toBe(3);
    expect(await readOrder(again)).toBe('old0 old1 old2 new0');
  });

  test('that is there first refuses an older page, and goes on as if nothing were', async () => {
    const db = freshDatabase();
    const newer = await joinLedger(db, of('newer'));
    mustBeOk(await newer.call('mutate', 'append', 'new', 0));
    const older = await openLedgerTab();
    expect(await older.call('join', db, { startTimeoutMs: READY_WITHIN_MS })).toMatchObject({
      ok: false,
      code: 'UPGRADE_REQUIRED',
      details: { build: { schema: { app: 1 } }, writer: { schema: { app: 2 }, safeFrom: { app: 2 } } },
    });
    mustBeOk(await newer.call('mutate', 'append', 'new', 1));
    expect((await newer.call('readStatus')).writer?.epoch).toBe(1);
    expect(await readOrder(newer)).toBe('new0 new1');
  });

  test('that comes while older tabs write: what they were told happened is there once, what was not is not', async () => {
    const db = freshDatabase();
    const older = [await joinLedger(db), await joinLedger(db)] as const;
    // They go on past the moment when the newer one has loaded and taken over, on a slow machine too.
    const COUNT = times({ some: 500, full: 1_000 });
    const range = { from: 0, to: COUNT, longestGapMs: 20 };
    const writing = older.map((tab, index) => tab.call('appendAll', `old${String(index)}-`, range));
    await pause(400);
    const newer = await joinLedger(db, of('newer'));
    const failures = await Promise.all(writing);
    const entries = await newer.call('readEntries');
    for (const [index, failed] of failures.entries()) {
      const mine = entries.filter(({ tab }) => tab === `old${String(index)}-`).map(({ n }) => n);
      expect(mine, 'in order, none twice, none left out').toEqual(mine.map((_, n) => n));
      expect(failed.length).toBeGreaterThan(0);
      const outcomes = failed.map((outcome) =>
        outcome.ok ? 'ok' : `${outcome.code} ${String(outcome.details['outcome'])}`,
      );
      const unknown = outcomes.filter((outcome) => outcome === 'UPGRADE_REQUIRED unknown').length;
      const notExecuted = outcomes.filter((outcome) => outcome === 'UPGRADE_REQUIRED not-executed').length;
      expect(unknown + notExecuted).toBe(failed.length);
      expect(mine.length).toBeGreaterThanOrEqual(COUNT - failed.length);
      expect(mine.length).toBeLessThanOrEqual(COUNT - notExecuted);
    }
  });

  test('whose migration fails is refused by name, and the older build goes on', async () => {
    const db = freshDatabase();
    const older = await joinLedger(db);
    mustBeOk(await older.call('mutate', 'append', 'old', 0));
    const newer = await openLedgerTab();
    expect(await newer.call('join', db, of('broken'))).toMatchObject({
      ok: false,
      code: 'MIGRATION_FAILED',
      details: { migration: 'app/2-broken' },
    });
    mustBeOk(await older.call('mutate', 'append', 'old', 1));
    expect(await readOrder(older)).toBe('old0 old1');
    expect(await older.call('readUpgrades')).toEqual([]);
    expect((await older.call('readStatus')).connection).toBe('connected');
  });

  test('that an older build may use is no reason to reload: the newer writes, the older is served, and writes when it is alone', async () => {
    const db = freshDatabase();
    const older = await joinLedger(db);
    mustBeOk(await older.call('mutate', 'append', 'old', 0));
    const newer = await joinLedger(db, of('safe'));
    expect(mustBeOk(await newer.call('askBuild'))).toBe('safe');
    mustBeOk(await older.call('mutate', 'append', 'old', 1));
    expect(mustBeOk(await older.call('askBuild'))).toBe('safe');
    await newer.close();
    mustBeOk(await older.call('mutate', 'append', 'old', 2));
    expect(mustBeOk(await older.call('askBuild'))).toBe('first');
    const again = await joinLedger(db, of('safe'));
    expect(mustBeOk(await again.call('askBuild'))).toBe('safe');
    mustBeOk(await older.call('mutate', 'append', 'old', 3));
    expect(await readOrder(again)).toBe('old0 old1 old2 old3');
    expect(await older.call('readUpgrades')).toEqual([]);
  });
});

test('a build of a higher number and the same schema is answered by its own handlers; tabs of the lower one go on', async () => {
  const db = freshDatabase();
  const older = await joinLedger(db);
  const newer = await joinLedger(db, of('later'));
  expect(mustBeOk(await newer.call('askBuild'))).toBe('later');
  mustBeOk(await older.call('mutate', 'append', 'old', 0));
  expect(mustBeOk(await older.call('askBuild'))).toBe('later');
  expect(await older.call('readUpgrades')).toEqual([]);
  const third = await joinLedger(db);
  expect(mustBeOk(await third.call('askBuild'))).toBe('later');
});
