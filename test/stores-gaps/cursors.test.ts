import { expect, test } from 'vitest';
import type { CommitCursorInput } from '../../src/domain/committed-cursor';
import { refusalOf, setupStores } from '../stores/support/store-setup';

const MAIN = { workspaceId: 'w', stream: 'main', coordinatorGeneration: 1 } as const;

test('a cursor is of its workspace and its stream', async () => {
  const { cursors, database, clock } = await setupStores();
  cursors.commitCursor({ ...MAIN, previous: null, next: 1 });
  cursors.commitCursor({ ...MAIN, stream: 'other', previous: null, next: 2 });
  database.exec(`INSERT INTO local_workspace_sync_cursors VALUES ('a', 'main', '3', 1, 'x')`);
  const read = (workspaceId: string, stream: string) => cursors.readCommittedCursor({ workspaceId, stream });
  expect([read('w', 'main'), read('w', 'other'), read('a', 'main'), read('w-2', 'main')]).toEqual([
    1,
    2,
    3,
    null,
  ]);
  clock.move(1);
  cursors.commitCursor({ ...MAIN, previous: 1, next: 9 });
  expect([read('w', 'main'), read('w', 'other'), read('a', 'main')]).toEqual([9, 2, 3]);
});

test('a commit says when it was made and under which generation', async () => {
  const { cursors, database, clock } = await setupStores();
  cursors.commitCursor({ ...MAIN, previous: null, next: 1 });
  clock.move(5);
  database.exec('UPDATE local_sync_coordinator_state SET coordinator_generation = 2');
  cursors.commitCursor({ ...MAIN, coordinatorGeneration: 2, previous: 1, next: 2 });
  expect(database.prepare('SELECT * FROM local_workspace_sync_cursors').all()).toEqual([
    {
      workspace_id: 'w',
      stream: 'main',
      cursor_json: '2',
      coordinator_generation: 2,
      updated_at: clock.read(),
    },
  ]);
});

test('a caller without types that leaves a cursor out means none', async () => {
  const { cursors } = await setupStores();
  cursors.commitCursor({ ...MAIN, next: 1 } as unknown as CommitCursorInput); // without types
  expect(refusalOf(() => cursors.commitCursor({ ...MAIN, next: 2 } as unknown as CommitCursorInput))).toBe(
    'CURSOR_CONFLICT',
  );
  cursors.commitCursor({ ...MAIN, previous: 1 } as unknown as CommitCursorInput); // likewise
  expect(cursors.readCommittedCursor(MAIN)).toBeNull();
});
