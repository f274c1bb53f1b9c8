import type { AppDatabase, MutationContext } from 'tidelock/worker';
import { z } from 'zod';

/** What the board asks of the sync server. */
export const operationPayload = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('add-task'), taskId: z.string(), title: z.string() }),
  z.object({ kind: z.literal('set-done'), taskId: z.string(), done: z.boolean() }),
  z.object({ kind: z.literal('delete-task'), taskId: z.string() }),
]);
export type OperationPayload = z.infer<typeof operationPayload>;

/** Notes an operation for the upstream, in the transaction of the local write it stands for. Returns its identity. */
export function enqueue(
  db: AppDatabase,
  payload: OperationPayload,
  { workspaceId, newId }: MutationContext,
): string {
  const identity = newId();
  db.run('INSERT INTO outbox (workspace_id, identity, task_id, payload_json) VALUES (?, ?, ?, ?)', [
    workspaceId,
    identity,
    payload.taskId,
    JSON.stringify(payload),
  ]);
  return identity;
}
