import { expect, test } from 'vitest';
import { freshDatabase, joinLedger, mustBeOk, openLedgerTab, shouldFailWith } from './setup';

/** A switch of the workspace on purpose does not exist yet; what can be asked for is that nothing slips through. */
test('while one workspace has work pending, another cannot be opened, and no work runs under it', async () => {
  const db = freshDatabase();
  const tab = await joinLedger(db, { workspaceId: 'w-1' });
  const other = await openLedgerTab();
  mustBeOk(await other.call('join', db, { workspaceId: null }));
  const busy = tab.call('spin', 500);
  const pending = [0, 1, 2].map((n) => tab.call('mutate', 'append', 'a', n));
  const opening = await other.call('openWorkspace', 'w-2', 'u-2');
  shouldFailWith(opening, 'WORKSPACE_ACTIVE_ELSEWHERE');
  expect(opening).toMatchObject({ details: { expected: 'w-2', actual: 'w-1' } });
  shouldFailWith(await other.call('issuePermit', 'p-1', 'w-2'), 'SYNC_COORDINATOR_INACTIVE_WORKSPACE');
  mustBeOk(await busy);
  for (const call of pending) mustBeOk(await call);
  const entries = await tab.call('readEntries');
  expect(entries.map(({ workspace }) => workspace)).toEqual(['w-1', 'w-1', 'w-1']);
});

test('work that was asked for in one workspace waits out a takeover and runs there or not at all', async () => {
  const db = freshDatabase();
  const writer = await joinLedger(db);
  const tab = await joinLedger(db);
  const newcomer = await openLedgerTab();
  mustBeOk(await newcomer.call('join', db, { workspaceId: null }));
  const busy = tab.call('spin', 500);
  const pending = tab.call('mutate', 'append', 'a', 0);
  const opening = newcomer.call('openWorkspace', 'w-2', 'u-2');
  await writer.crash();
  shouldFailWith(await opening, 'WORKSPACE_ACTIVE_ELSEWHERE');
  mustBeOk(await pending);
  mustBeOk(await busy);
  const entries = await tab.call('readEntries');
  expect(entries.map(({ workspace }) => workspace)).toEqual(['w-1']);
});
