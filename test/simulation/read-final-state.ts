import { parseSessionLock } from '../../src/protocol/names';
import type { SqlValue } from '../../worker/database';
import type { FinalState } from '../support/history/final-state';
import { DATABASE } from './tab';
import type { World } from './world';

type Row = Readonly<Record<string, SqlValue>>;

/** What a run has left on its disk and at its upstream. */
export function readFinalState({ disk, upstream, locks }: World): FinalState {
  const read = <T>(sql: string, decode: (row: Row) => T): T[] =>
    disk.inspector.prepare(sql).all().map(decode);
  const text = (row: Row, column: string): string => String(row[column]);
  const cursor = disk.readCursor();
  return {
    rows: read('SELECT id, caller, sequence FROM rows ORDER BY arrival', (row) => ({
      id: text(row, 'id'),
      caller: text(row, 'caller'),
      sequence: Number(row['sequence']),
    })),
    dataVersion:
      read('SELECT local_data_version FROM local_sync_coordinator_state', (row) =>
        Number(row['local_data_version']),
      )[0] ?? 0,
    commands: read('SELECT command_id, status FROM local_sync_coordinator_commands', (row) => ({
      commandId: text(row, 'command_id'),
      status: text(row, 'status'),
    })),
    permits: read('SELECT permit_id, state, holder_id FROM local_sync_execution_permits', (row) => ({
      permitId: text(row, 'permit_id'),
      state: text(row, 'state'),
      holderId: row['holder_id'] === null ? null : text(row, 'holder_id'),
    })),
    obligations: read(
      'SELECT obligation_id, permit_id FROM local_sync_recovery_obligations WHERE resolved_at IS NULL',
      (row) => ({ obligationId: text(row, 'obligation_id'), permitId: text(row, 'permit_id') }),
    ),
    livingSessionIds: locks.listHeld().flatMap((name) => parseSessionLock(DATABASE, name) ?? []),
    upstream: {
      effects: [...upstream.effects].map(([identity, effects]) => ({ identity, effects })),
      fetched: upstream.log.slice(0, cursor).map(({ id }) => id),
      applied: read('SELECT id, times FROM pulled', (row) => ({
        id: text(row, 'id'),
        times: Number(row['times']),
      })),
      echoed: read('SELECT id, times FROM echoed', (row) => ({
        identity: text(row, 'id'),
        times: Number(row['times']),
      })),
    },
  };
}
