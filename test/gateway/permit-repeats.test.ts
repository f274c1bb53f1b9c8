import { describe, expect, test } from 'vitest';
import { DEADLINE, setup } from './setup';

/**
 * What ends a permit leaves it under the writer that ended it: no later writer adopts a permit that is over. So a
 * repeat cannot be answered from the row, whose instance the next writer's fence does not match.
 */
describe('a call that ended a permit, asked again of the next writer, has the answer of its first run', () => {
  test.each(['permits.release', 'permits.abandonPermit'])('%s', async (call) => {
    const { ask, send, openWorkspace, context, close } = await setup();
    const { coordinatorGeneration } = await openWorkspace();
    const scope = { workspaceId: 'w-1', coordinatorGeneration };
    const issue = { ...scope, operationClass: 'handshake', deadlineAt: DEADLINE } as const;
    const { permitId } = await ask('permits.issue', issue);
    const first = await send([[call, { ...scope, permitId }]], { callIds: ['c-1'] });
    expect(first).toMatchObject([{ ok: true }]);
    context.database
      .prepare('UPDATE local_sync_execution_permits SET server_instance_id = ?')
      .run(['0.dead']);
    const again = await send([[call, { ...scope, permitId }]], { callIds: ['c-1'], attempt: 2 });
    expect(again).toEqual(first);
    close();
  });

  test('permits.completeLocalCommit', async () => {
    const { ask, send, openWorkspace, context, close } = await setup();
    const { coordinatorGeneration } = await openWorkspace();
    const scope = { workspaceId: 'w-1', coordinatorGeneration };
    const issue = { ...scope, operationClass: 'local-apply', deadlineAt: DEADLINE } as const;
    const { permitId } = await ask('permits.issue', issue);
    await ask('permits.enterLocalCommit', { ...scope, permitId });
    const call = ['permits.completeLocalCommit', { ...scope, permitId }] as const;
    const first = await send([call], { callIds: ['c-1'] });
    expect(first).toMatchObject([{ ok: true }]);
    context.database
      .prepare('UPDATE local_sync_execution_permits SET server_instance_id = ?')
      .run(['0.dead']);
    expect(await send([call], { callIds: ['c-1'], attempt: 2 })).toEqual(first);
    close();
  });
});
