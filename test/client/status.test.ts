import { expect, test } from 'vitest';
import { StatusBoard } from '../../src/client/status';
import type { CoordinatorState } from '../../src/domain/coordinator-state';

function setup() {
  const board = new StatusBoard('notes', 's-1', () => undefined);
  const state = (coordinatorGeneration: number, localDataVersion: number): CoordinatorState =>
    ({
      activeWorkspaceId: 'w-1',
      coordinatorGeneration,
      localDataVersion,
      ownershipMode: 'browser-gateway',
      transitionState: 'idle',
    }) as CoordinatorState; // all that is read of it
  return { board, state };
}

test('what a call answered is in the status before the writer announces it', () => {
  const { board, state } = setup();
  board.seeState(state(3, 7));
  expect(board.current).toMatchObject({ workspaceId: 'w-1', generation: 3, localDataVersion: 7 });
});

test('an answer from before the last announcement changes nothing', () => {
  const { board, state } = setup();
  board.seeState(state(3, 7));
  board.seeState(state(2, 9));
  board.seeState(state(3, 6));
  expect(board.current).toMatchObject({ generation: 3, localDataVersion: 7 });
});
