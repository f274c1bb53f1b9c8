import { describe, expect, test } from 'vitest';
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

test.each([
  ['an event that is none', 'nope', () => undefined],
  ['a name of every object', '__proto__', () => undefined],
  ['no listener', 'change', undefined],
])('listening to %s is INVALID_INPUT', (_name, event, listener) => {
  const { board } = setup();
  expect(() => board.on(event as 'change', listener as () => void)).toThrow(
    expect.objectContaining({ code: 'INVALID_INPUT' }),
  );
});

describe('the role', () => {
  const view = {
    workspaceId: null,
    generation: 0,
    localDataVersion: 0,
    ownershipMode: 'stopped',
    transitionState: 'idle',
  };
  const writerOf = (sessionId: string) => ({
    serverInstanceId: '1.a',
    epoch: 1,
    sessionId,
    storage: 'opfs' as const,
    build: { protocol: 1, schema: { tidelock: 1, app: 1 }, version: 0, safeFrom: { tidelock: 1, app: 1 } },
    databaseId: 'd-1',
  });

  test('an announcement that an answer has overtaken takes nothing back, but another database does', () => {
    const { board, state } = setup();
    board.seeState(state(3, 7));
    board.see({ ...view, generation: 3, localDataVersion: 6 }, writerOf('s-2'));
    expect(board.current).toMatchObject({ generation: 3, localDataVersion: 7, connection: 'connected' });
    const another = { ...writerOf('s-3'), serverInstanceId: '1.b', databaseId: 'd-2' };
    board.see(view, another);
    expect(board.current).toMatchObject({ generation: 0, localDataVersion: 0 });
  });

  test('a database that was started anew is shown from its beginning, though the page was away when that happened', () => {
    const { board, state } = setup();
    board.see(view, writerOf('s-2'));
    board.seeState(state(3, 7));
    const workspaces: (string | null)[] = [];
    board.on('workspace', ({ workspaceId }) => workspaces.push(workspaceId));
    board.update({ writer: null, connection: 'connecting' });
    board.see(view, { ...writerOf('s-3'), serverInstanceId: '1.b', databaseId: 'd-2' });
    expect(board.current).toMatchObject({ workspaceId: null, generation: 0, localDataVersion: 0 });
    expect(workspaces).toEqual([null]);
  });

  test('is the writer’s as soon as its own worker has welcomed the tab, whichever word comes first', () => {
    const { board } = setup();
    board.seeStage('recovering', null);
    board.see(view, writerOf('s-1'));
    expect(board.current.role).toBe('writer');
    board.seeStage('serving', null);
    expect(board.current.role).toBe('writer');
  });

  test('is a follower’s again once that worker is gone, on the way of the next one too', () => {
    const { board } = setup();
    board.seeStage('serving', null);
    board.see(view, writerOf('s-1'));
    for (const stage of ['loading', 'waiting', 'opening', 'recovering'] as const) {
      board.seeStage(stage, null);
      expect(board.current).toMatchObject({ role: 'follower', connection: 'connecting' });
    }
  });

  test('is a follower’s while another tab’s worker serves', () => {
    const { board } = setup();
    board.seeStage('waiting', null);
    board.see(view, writerOf('s-2'));
    expect(board.current.role).toBe('follower');
  });
});
