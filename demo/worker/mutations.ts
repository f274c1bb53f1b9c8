import { mutation, type MutationContext } from 'tidelock/worker';
import { z } from 'zod';
import { enqueue } from './operations';

const title = z.string().trim().min(1).max(200);
const taskId = z.string().min(1).max(200);
const identity = z.string().min(1).max(200);

export const mutations = {
  addTask: mutation(z.strictObject({ title, id: taskId.optional() }), (db, input, context) => {
    const id = input.id ?? context.newId();
    db.run('INSERT INTO tasks (workspace_id, task_id, title, created_at) VALUES (?, ?, ?, ?)', [
      context.workspaceId,
      id,
      input.title,
      context.now,
    ]);
    return { id, identity: enqueue(db, { kind: 'add-task', taskId: id, title: input.title }, context) };
  }),

  setDone: mutation(z.strictObject({ id: taskId, done: z.boolean() }), (db, { id, done }, context) => {
    const { changes } = db.run(
      'UPDATE tasks SET done = ? WHERE workspace_id = ? AND task_id = ? AND done <> ?',
      [Number(done), context.workspaceId, id, Number(done)],
    );
    return { identity: changes === 0 ? null : enqueue(db, { kind: 'set-done', taskId: id, done }, context) };
  }),

  deleteTask: mutation(z.strictObject({ id: taskId }), (db, { id }, context) => {
    const { changes } = db.run('DELETE FROM tasks WHERE workspace_id = ? AND task_id = ?', [
      context.workspaceId,
      id,
    ]);
    return { identity: changes === 0 ? null : enqueue(db, { kind: 'delete-task', taskId: id }, context) };
  }),

  /** The upstream refused an operation: it stays, marked, until somebody decides. */
  markRejected: mutation(z.strictObject({ identity, reason: z.string() }), (db, input, { workspaceId }) => {
    db.run('UPDATE outbox SET rejected_reason = ? WHERE workspace_id = ? AND identity = ?', [
      input.reason,
      workspaceId,
      input.identity,
    ]);
  }),

  /** Sends a refused operation again. The upstream remembers its refusal, so this is a new operation: a new identity. */
  retryRejected: mutation(z.strictObject({ identity }), (db, input, { workspaceId, newId }) => {
    db.run(
      'UPDATE outbox SET identity = ?, rejected_reason = NULL WHERE workspace_id = ? AND identity = ? AND rejected_reason IS NOT NULL',
      [newId(), workspaceId, input.identity],
    );
  }),

  /** Gives a refused operation up; a task that was to be added goes with it. */
  discardRejected: mutation(z.strictObject({ identity }), (db, input, context: MutationContext) => {
    const { workspaceId } = context;
    const refused = db.get(
      'DELETE FROM outbox WHERE workspace_id = ? AND identity = ? AND rejected_reason IS NOT NULL RETURNING task_id, payload_json',
      [workspaceId, input.identity],
    );
    if (refused === undefined || !String(refused['payload_json']).includes('"add-task"')) return;
    const values = [workspaceId, refused['task_id'] ?? null];
    db.run('DELETE FROM outbox WHERE workspace_id = ? AND task_id = ?', values);
    db.run('DELETE FROM tasks WHERE workspace_id = ? AND task_id = ?', values);
  }),
};
