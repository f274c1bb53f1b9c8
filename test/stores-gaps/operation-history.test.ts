import { expect, test } from 'vitest';
import { readOperationStanding } from '../../worker/stores/operation-history';
import { setupStores, toFence } from '../stores/support/store-setup';

async function setup() {
  const stores = await setupStores();
  const standing = (operationIdentity = 'op-1', workspaceId = 'w') =>
    readOperationStanding(stores.database, { workspaceId, operationIdentity });
  const push = { operationClass: 'push', operationIdentity: 'op-1' } as const;
  return { ...stores, standing, push };
}

test('a push that nobody sent is free', async () => {
  const { standing } = await setup();
  expect(standing()).toBe('free');
});

test('a push is busy while a permit for it is active, in its workspace and for its class', async () => {
  const { standing, permits, issueInput, push } = await setup();
  permits.issue(issueInput(push));
  expect(standing()).toBe('busy');
  expect(standing('op-2')).toBe('free');
  expect(standing('op-1', 'w-2')).toBe('free');
});

test('another class with the same identity does not count', async () => {
  const { standing, permits, issueInput, push } = await setup();
  permits.issue(issueInput({ ...push, operationClass: 'v3-dispatch' }));
  expect(standing()).toBe('free');
});

test('a push that was accepted and settled is not sent again', async () => {
  const { standing, permits, answered, push } = await setup();
  permits.release(toFence(answered(push, 'accepted')));
  expect(standing()).toBe('already-accepted');
});

test('one that was refused, given back or abandoned is free again', async () => {
  const { standing, permits, answered, issueInput, push } = await setup();
  permits.release(toFence(answered(push, 'rejected')));
  expect(standing()).toBe('free');
  permits.release(toFence(permits.issue(issueInput(push))));
  expect(standing()).toBe('free');
  permits.abandonPermit(toFence(answered(push, 'accepted')));
  expect(standing()).toBe('free');
});

test('an accepted one of which another attempt ended unknown is sent again, to settle that', async () => {
  const { standing, permits, answered, issueInput, push } = await setup();
  const other = answered(push, 'unknown');
  permits.release(toFence(answered(push, 'accepted')));
  permits.abandonPermit(toFence(other));
  expect(standing()).toBe('free');
  expect(standing('op-2')).toBe('free');
  permits.issue(issueInput(push));
  expect(standing()).toBe('busy');
});

test('a new attempt at an accepted one shows first', async () => {
  const { standing, permits, answered, issueInput, push } = await setup();
  permits.release(toFence(answered(push, 'accepted')));
  permits.issue(issueInput(push));
  expect(standing()).toBe('busy');
});

test.each([
  ['of another workspace', `workspace_id = 'w-2'`],
  ['of another class', `operation_class = 'v3-dispatch'`],
  ['of another operation', `operation_identity = 'op-2'`],
  ['that was settled', `resolved_at = 'x'`],
])('an accepted one is not sent again for what is open %s', async (_which, assignment) => {
  const { standing, permits, answered, database, push } = await setup();
  permits.abandonPermit(toFence(answered(push, 'unknown')));
  permits.release(toFence(answered(push, 'accepted')));
  expect(standing()).toBe('free');
  database.exec(`UPDATE local_sync_recovery_obligations SET ${assignment}`);
  expect(standing()).toBe('already-accepted');
});
