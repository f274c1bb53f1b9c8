import { query } from 'tidelock/worker';
import { z } from 'zod';
import { operationPayload } from './operations';

const TASKS = `
  SELECT t.task_id AS id, t.title, t.done, t.created_at AS createdAt,
    (SELECT count(*) FROM outbox o WHERE o.workspace_id = t.workspace_id AND o.task_id = t.task_id) AS pending
  FROM tasks t WHERE t.workspace_id = ?1 AND (?2 IS NULL OR t.done = ?2) ORDER BY t.created_at, t.task_id`;

/** Of each task only its oldest operation: what was done after it must not overtake it. */
const SENDABLE = `
  SELECT identity, payload_json FROM outbox o
  WHERE o.workspace_id = ?1 AND o.rejected_reason IS NULL AND NOT EXISTS (
    SELECT 1 FROM outbox e WHERE e.workspace_id = o.workspace_id AND e.task_id = o.task_id AND e.position < o.position)
  ORDER BY o.position LIMIT 100`;

const REJECTED = `
  SELECT identity, task_id AS taskId, payload_json, rejected_reason AS reason FROM outbox
  WHERE workspace_id = ?1 AND rejected_reason IS NOT NULL ORDER BY position`;

const parsePayload = (text: unknown): z.infer<typeof operationPayload> =>
  operationPayload.parse(JSON.parse(String(text)));

export const queries = {
  tasks: query(z.strictObject({ done: z.boolean().optional() }), (db, { done }, { workspaceId }) =>
    db.all(TASKS, [workspaceId, done === undefined ? null : Number(done)]).map((row) => ({
      id: String(row['id']),
      title: String(row['title']),
      done: row['done'] === 1,
      createdAt: String(row['createdAt']),
      isPending: Number(row['pending']) > 0,
    })),
  ),

  sendable: query(z.strictObject({}), (db, _input, { workspaceId }) =>
    db
      .all(SENDABLE, [workspaceId])
      .map((row) => ({ identity: String(row['identity']), payload: parsePayload(row['payload_json']) })),
  ),

  rejected: query(z.strictObject({}), (db, _input, { workspaceId }) =>
    db.all(REJECTED, [workspaceId]).map((row) => ({
      identity: String(row['identity']),
      taskId: String(row['taskId']),
      kind: parsePayload(row['payload_json']).kind,
      reason: String(row['reason']),
    })),
  ),

  outboxSize: query(z.strictObject({}), (db, _input, { workspaceId }) =>
    Number(
      db.get('SELECT count(*) AS size FROM outbox WHERE workspace_id = ?', [workspaceId])?.['size'] ?? 0,
    ),
  ),
};
