import { expect, test } from 'vitest';
import { freshDatabase, joinLedger, openLedgerTab, mustBeOk, shouldFailWith } from './setup';

test('a call that fails, in whichever way a caller can make it, fails no other: not in its tick, not after', async () => {
  const db = freshDatabase();
  const writer = await joinLedger(db);
  const tab = await joinLedger(db);
  const provoked = await tab.call('provokeErrors');
  expect(Object.fromEntries(provoked.map(({ name, code }) => [name, code]))).toEqual({
    'unknown mutation': 'UNKNOWN_HANDLER',
    'unknown query': 'UNKNOWN_HANDLER',
    'wrong type': 'INVALID_INPUT',
    'a function as input': 'INVALID_INPUT',
    'not a number': 'INVALID_INPUT',
    'too large': 'PAYLOAD_TOO_LARGE',
    'too deep': 'INVALID_INPUT',
    'bad timeout': 'INVALID_INPUT',
    'mutation throws': 'HANDLER_FAILED',
    'query throws': 'HANDLER_FAILED',
    'mutation returns a promise': 'HANDLER_ASYNC',
    'query returns a promise': 'HANDLER_ASYNC',
    'mutation commits': 'HANDLER_FAILED',
    'mutation breaks a constraint and rolls back': 'HANDLER_FAILED',
    'query writes': 'HANDLER_FAILED',
    'out of time': 'DEADLINE_EXCEEDED',
    aborted: 'ABORTED',
    'another workspace': 'WORKSPACE_ACTIVE_ELSEWHERE',
    'apply throws': 'HANDLER_FAILED',
    'request fails': 'ok',
    'push of nothing that can be': 'INVALID_INPUT',
    'permit of another generation': 'SYNC_COORDINATOR_STALE_GENERATION',
    'permit of another workspace': 'SYNC_COORDINATOR_INACTIVE_WORKSPACE',
    'permit that is over already': 'SYNC_COORDINATOR_PERMIT_EXPIRED',
    'permit id used for another': 'SYNC_COORDINATOR_PERMIT_IDENTITY_CONFLICT',
    'no such permit': 'SYNC_COORDINATOR_PERMIT_NOT_FOUND',
    'permit in another state': 'SYNC_COORDINATOR_PERMIT_STATE_CONFLICT',
    'permit of another writer': 'SYNC_COORDINATOR_PERMIT_SERVER_MISMATCH',
    'bad limit': 'SYNC_COORDINATOR_LIMIT_INVALID',
  });
  for (const { name, after } of provoked) expect(after, name).toEqual(['ok', 'ok', 'ok']);
  const entries = await writer.call('readEntries');
  const good = entries.filter((entry) => entry.tab === 'beside' || entry.tab === 'after');
  expect(good).toHaveLength(2 * provoked.length);
  expect(entries).toHaveLength(good.length);
  expect((await tab.call('readStatus')).writer?.epoch).toBe(1);
});

test('a call made before a workspace is open fails, and the same call afterwards does not', async () => {
  const tab = await openLedgerTab();
  mustBeOk(await tab.call('join', freshDatabase(), { workspaceId: null }));
  shouldFailWith(await tab.call('mutate', 'append', 'a', 0), 'WORKSPACE_NONE');
  mustBeOk(await tab.call('openWorkspace', 'w-1'));
  mustBeOk(await tab.call('mutate', 'append', 'a', 0));
});
