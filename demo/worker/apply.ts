import { apply } from 'tidelock/worker';
import { z } from 'zod';

/** A task as the server has it. */
export const taskChange = z.object({
  seq: z.number(),
  taskId: z.string(),
  title: z.string(),
  done: z.boolean(),
  deleted: z.boolean(),
});

export const applyHandlers = {
  /**
   * Of a pull: takes the server's tasks over, but for those with a local operation still on its way (they come again
   * once it is settled). Of a push: drops the operations that were accepted.
   */
  tasks: apply(
    z.strictObject({ changes: z.array(taskChange) }),
    (db, { changes }, { workspaceId, now, operationIdentities }) => {
      for (const identity of operationIdentities) {
        db.run('DELETE FROM outbox WHERE workspace_id = ? AND identity = ?', [workspaceId, identity]);
      }
      for (const { taskId, title, done, deleted } of changes) {
        if (
          db.get('SELECT 1 FROM outbox WHERE workspace_id = ? AND task_id = ?', [workspaceId, taskId]) !==
          undefined
        )
          continue;
        if (deleted)
          db.run('DELETE FROM tasks WHERE workspace_id = ? AND task_id = ?', [workspaceId, taskId]);
        else {
          db.run(
            `INSERT INTO tasks (workspace_id, task_id, title, done, created_at) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (workspace_id, task_id) DO UPDATE SET title = excluded.title, done = excluded.done`,
            [workspaceId, taskId, title, Number(done), now],
          );
        }
      }
    },
  ),
};
