import { expect, test } from 'vitest';
import { isSameView, readCoordinatorView } from '../../worker/stores/coordinator-view';
import { openTestDatabase, setupStores } from '../stores/support/store-setup';

test('before the first row the view shows what the row would begin with', async () => {
  expect(readCoordinatorView(await openTestDatabase())).toEqual({
    workspaceId: null,
    generation: 0,
    localDataVersion: 0,
    ownershipMode: 'stopped',
    transitionState: 'idle',
  });
});

test('the view is what the row says', async () => {
  const { coordinator, database } = await setupStores();
  coordinator.advanceLocalDataVersion({ workspaceId: 'w', expectedCoordinatorGeneration: 1 });
  expect(readCoordinatorView(database)).toEqual({
    workspaceId: 'w',
    generation: 1,
    localDataVersion: 1,
    ownershipMode: 'browser-gateway',
    transitionState: 'idle',
  });
});

test('two views are the same where every field is', async () => {
  const { database } = await setupStores();
  const view = readCoordinatorView(database);
  expect(isSameView(view, { ...view })).toBe(true);
  expect(isSameView(view, { ...view, workspaceId: 'w-2' })).toBe(false);
  expect(isSameView(view, { ...view, generation: 9 })).toBe(false);
  expect(isSameView(view, { ...view, localDataVersion: 9 })).toBe(false);
  expect(isSameView(view, { ...view, ownershipMode: 'server' })).toBe(false);
  expect(isSameView(view, { ...view, transitionState: 'switching-workspace' })).toBe(false);
});
