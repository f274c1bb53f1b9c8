import { mustBeLimit } from '../../../src/domain/limit';
import type { PrunedHistory } from '../../../src/domain/permit';
import { KEPT_NEWEST, toRetentionLimit } from '../retention';
import { readAllForUpdate, readForUpdate, type StoreCall } from '../store-call';

/**
 * Retention of finished permits and resolved obligations. Each kind keeps its newest thousand, everything younger
 * than a week, and every permit that an obligation still names. Cost grows with what is deleted, not with what stays.
 */

const PRUNE_LIMIT_DEFAULT = 250;
const PRUNE_LIMIT_MAX = 5_000;

const NEWEST_OBLIGATION_TO_GO = `SELECT resolved_at, obligation_id FROM local_sync_recovery_obligations
  WHERE resolved_at IS NOT NULL ORDER BY resolved_at DESC, obligation_id DESC LIMIT 1 OFFSET ?`;
const SELECT_OBLIGATIONS = `SELECT obligation_id, permit_id FROM local_sync_recovery_obligations
  WHERE resolved_at < ? AND (resolved_at, obligation_id) <= (?, ?)
  ORDER BY resolved_at, obligation_id LIMIT ?`;
const DELETE_OBLIGATION = 'DELETE FROM local_sync_recovery_obligations WHERE obligation_id = ?';
const FREE_PERMIT = 'UPDATE local_sync_execution_permits SET is_obliged = 0 WHERE permit_id = ?';

const newestOf = (isObliged: 0 | 1): string => `SELECT * FROM (SELECT completed_at, permit_id
    FROM local_sync_execution_permits WHERE is_obliged = ${isObliged} AND completed_at IS NOT NULL
    ORDER BY completed_at DESC, permit_id DESC LIMIT ?1 + 1)`;
const NEWEST_PERMIT_TO_GO = `SELECT completed_at, permit_id FROM (${newestOf(0)} UNION ALL ${newestOf(1)})
  ORDER BY completed_at DESC, permit_id DESC LIMIT 1 OFFSET ?1`;
const DELETE_PERMITS = `DELETE FROM local_sync_execution_permits WHERE permit_id IN (
  SELECT p.permit_id FROM local_sync_execution_permits p
  WHERE p.is_obliged = 0 AND p.completed_at < ?
    AND (p.completed_at, p.permit_id) <= (?, ?)
    AND NOT EXISTS (SELECT 1 FROM local_sync_recovery_obligations o WHERE o.permit_id = p.permit_id)
  ORDER BY p.completed_at, p.permit_id LIMIT ?)`;

/** Deletes at most `limit` of each kind, oldest first. */
export function pruneHistory(call: StoreCall, limit: number = PRUNE_LIMIT_DEFAULT): PrunedHistory {
  mustBeLimit(limit, PRUNE_LIMIT_MAX);
  const olderThan = toRetentionLimit(call.nowMs);
  const obligations = pruneObligations(call, olderThan, limit);
  return { obligations, permits: prunePermits(call, olderThan, limit) };
}

function pruneObligations(call: StoreCall, olderThan: string, limit: number): number {
  const newest = readForUpdate(call.database, NEWEST_OBLIGATION_TO_GO, [KEPT_NEWEST]);
  if (newest === undefined) return 0;
  const rows = readAllForUpdate(call.database, SELECT_OBLIGATIONS, [
    olderThan,
    String(newest['resolved_at']),
    String(newest['obligation_id']),
    limit,
  ]);
  for (const row of rows) {
    call.database.prepare(DELETE_OBLIGATION).run([String(row['obligation_id'])]);
    call.database.prepare(FREE_PERMIT).run([String(row['permit_id'])]);
  }
  return rows.length;
}

function prunePermits(call: StoreCall, olderThan: string, limit: number): number {
  const newest = readForUpdate(call.database, NEWEST_PERMIT_TO_GO, [KEPT_NEWEST]);
  if (newest === undefined) return 0;
  return call.database
    .prepare(DELETE_PERMITS)
    .run([olderThan, String(newest['completed_at']), String(newest['permit_id']), limit]).changes;
}
