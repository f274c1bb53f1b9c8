import type { Database, Row } from '../database';
import { UnreadableRowError } from './row-reader';
import type { StoreCall } from './store-call';

/**
 * Rows that cannot be decoded came from elsewhere (a damaged file, another build, a hand in the database). Whatever
 * meets one moves it here as it is, so that it stands in nobody's way and nothing of it is lost.
 */

/** The tables whose rows may be moved, each with the columns that name a row. */
const KEYS = {
  local_sync_coordinator_commands: ['arrival'],
  local_sync_execution_permits: ['permit_id'],
  local_sync_recovery_obligations: ['arrival'],
  local_workspace_sync_cursors: ['workspace_id', 'stream'],
} as const;
export type QuarantinedTable = keyof typeof KEYS;

export interface UnreadableRow {
  readonly table: QuarantinedTable;
  readonly row: Row;
  readonly reason: string;
}

export interface QuarantinedRow {
  readonly quarantineId: number;
  readonly sourceTable: string;
  /** The row as found; BLOBs as lists of bytes. */
  readonly rowJson: string;
  readonly reason: string;
  readonly foundAt: string;
}

const INSERT =
  'INSERT INTO local_sync_quarantine (source_table, row_json, reason, found_at) VALUES (?, ?, ?, ?)';
const LIST = `SELECT quarantine_id, source_table, row_json, reason, found_at
  FROM local_sync_quarantine ORDER BY quarantine_id LIMIT ?`;

export function moveToQuarantine(
  database: Database,
  { table, row, reason }: UnreadableRow,
  now: string,
): void {
  const columns: readonly string[] = KEYS[table];
  const key = columns.map((column) => {
    const value = row[column];
    if (value === undefined) throw new TypeError(`a row of ${table} without its ${column}`);
    return value;
  });
  const isThatRow = columns.map((column) => `${column} = ?`).join(' AND ');
  const deleted = database.prepare(`DELETE FROM ${table} WHERE ${isThatRow}`).run(key).changes;
  if (deleted > 0) copyToQuarantine(database, table, row, reason, now);
}

/** Keeps a copy of a row that is about to be rewritten in its place. */
export function copyToQuarantine(
  database: Database,
  table: string,
  row: Row,
  reason: string,
  now: string,
): void {
  database.prepare(INSERT).run([table, toRowJson(row), reason, now]);
}

/** Decodes a row, or moves it to quarantine and gives undefined. */
export function decodeOrQuarantine<T>(
  call: StoreCall,
  table: QuarantinedTable,
  row: Row,
  decode: (row: Row) => T,
): T | undefined {
  try {
    return decode(row);
  } catch (error) {
    if (!(error instanceof UnreadableRowError)) throw error;
    call.quarantine({ table, row, reason: error.message });
    return undefined;
  }
}

/** As `decodeOrQuarantine` for many rows; what cannot be decoded is left out. */
export function decodeAll<T>(
  call: StoreCall,
  table: QuarantinedTable,
  rows: readonly Row[],
  decode: (row: Row) => T,
): readonly T[] {
  const decoded: T[] = [];
  for (const row of rows) {
    const value = decodeOrQuarantine(call, table, row, decode);
    if (value !== undefined) decoded.push(value);
  }
  return decoded;
}

/** The quarantined rows, oldest first. */
export function listQuarantined(database: Database, limit: number): readonly QuarantinedRow[] {
  return database
    .prepare(LIST)
    .all([limit])
    .map((row) => ({
      quarantineId: Number(row['quarantine_id']),
      sourceTable: String(row['source_table']),
      rowJson: String(row['row_json']),
      reason: String(row['reason']),
      foundAt: String(row['found_at']),
    }));
}

function toRowJson(row: Row): string {
  return JSON.stringify(row, (_key, value: unknown) => {
    if (typeof value === 'bigint') return value.toString();
    return value instanceof Uint8Array ? [...value] : value;
  });
}
