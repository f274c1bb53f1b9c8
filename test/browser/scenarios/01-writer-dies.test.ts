import { describe, expect, test } from 'vitest';
import { times } from '../../support/times';
import { freshDatabase, joinLedger, mustBeOk, pause, shouldFailWith, type LedgerTab } from './setup';

/** How a writer's tab goes away. */
const ENDS: readonly (readonly [how: string, end: (tab: LedgerTab) => Promise<unknown>])[] = [
  ['crashes', (tab) => tab.crash()],
  ['is closed', (tab) => tab.close()],
  ['is reloaded', (tab) => tab.reload()],
  ['navigates away', (tab) => tab.goto('/test/browser/pages/tab.html?elsewhere')],
  ['loses its worker', (tab) => tab.terminateWorkers()],
];
const ROUNDS = times({ some: 1, full: 3 });

describe('calls of every kind in flight from another tab, when the writer’s tab', () => {
  test.each(ENDS.slice(0, times({ some: 3, full: ENDS.length })))(
    '%s: all end well, and each has its effect once',
    { timeout: 60_000 * ROUNDS },
    async (_how, end) => {
      for (let round = 0; round < ROUNDS; round++) {
        const db = freshDatabase();
        const writer = await joinLedger(db);
        const other = await joinLedger(db);
        expect((await writer.call('readStatus')).role).toBe('writer');
        // While the writer is busy, none of the calls can have been answered; afterwards they flow.
        await other.call('keepCalling', `r${String(round)}`, round % 2 === 0 ? 500 : 0);
        await pause(round % 2 === 0 ? 0 : Math.random() * 500);
        await end(writer);
        expect(await other.call('waitForRole', 'writer')).toBe(2);
        await pause(100);
        const { calls, failures } = await other.call('stopCalling');
        expect(failures).toEqual([]);
        expect(Object.values(calls).every((count) => count >= 1)).toBe(true);
        expect(await other.call('findWrongEffects')).toEqual([]);
        await other.close();
      }
    },
  );
});

test('a local commit between whose halves the writer dies blocks its workspace until its tab completes it', async () => {
  const db = freshDatabase();
  const writer = await joinLedger(db);
  const tab = await joinLedger(db);
  mustBeOk(await tab.call('enterLocalCommit', 'p-1'));
  await writer.crash();
  await tab.call('waitForEpoch', 2);
  shouldFailWith(await tab.call('issuePermit', 'p-2'), 'SYNC_COORDINATOR_LOCAL_COMMIT_INVARIANT');
  mustBeOk(await tab.call('completeLocalCommit', 'p-1'));
  expect(await tab.call('readPermitState', 'p-1')).toBe('released');
  mustBeOk(await tab.call('issuePermit', 'p-2'));
});
