import type { CursorKey } from '../../src/domain/committed-cursor';
import type { Json } from '../../src/domain/json';
import { decodeOrQuarantine } from './quarantine';
import { readJson, toJsonColumn } from './row-reader';
import { readForUpdate, type StoreCall } from './store-call';

const TABLE = 'local_workspace_sync_cursors';
const SELECT = `SELECT workspace_id, stream, cursor_json, coordinator_generation, updated_at
  FROM local_workspace_sync_cursors WHERE workspace_id = ? AND stream = ?`;
const UPSERT = `INSERT INTO local_workspace_sync_cursors
    (workspace_id, stream, cursor_json, coordinator_generation, updated_at)
  VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (workspace_id, stream) DO UPDATE SET cursor_json = excluded.cursor_json,
    coordinator_generation = excluded.coordinator_generation, updated_at = excluded.updated_at`;

/** The cursor committed last, or null before the first; null too where it cannot be read, so that all is fetched anew. */
export function readCursor(call: StoreCall, { workspaceId, stream }: CursorKey): Json {
  const row = readForUpdate(call.database, SELECT, [workspaceId, stream]);
  if (row === undefined) return null;
  return decodeOrQuarantine(call, TABLE, row, (found) => readJson(found, 'cursor_json')) ?? null;
}

export function writeCursor(
  call: StoreCall,
  { workspaceId, stream }: CursorKey,
  cursor: Json,
  coordinatorGeneration: number,
): void {
  call.database
    .prepare(UPSERT)
    .run([workspaceId, stream, toJsonColumn(cursor), coordinatorGeneration, call.now]);
}
