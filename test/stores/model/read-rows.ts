import type { Database, Row } from '../../../worker/database';
import type { Rows } from './world';

/** Columns whose field has a name of its own. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  command_type: 'type',
  command_version: 'version',
};

/** Everything in the stores' tables, in the shape the model keeps. */
export function readRows(database: Database): Rows {
  const read = (sql: string): unknown[] => database.prepare(sql).all().map(toFields);
  const [state] = read('SELECT * FROM local_sync_coordinator_state');
  const rows = {
    state: state ?? null,
    commands: read('SELECT * FROM local_sync_coordinator_commands ORDER BY arrival'),
    checkpoints: read('SELECT * FROM local_workspace_sync_runner_state ORDER BY workspace_id, runner_id'),
    permits: read('SELECT * FROM local_sync_execution_permits ORDER BY rowid'),
    obligations: read('SELECT * FROM local_sync_recovery_obligations ORDER BY arrival'),
    cursors: Object.fromEntries(
      database
        .prepare('SELECT workspace_id, stream, cursor_json FROM local_workspace_sync_cursors')
        .all()
        .map((row) => [`${String(row['workspace_id'])} ${String(row['stream'])}`, parse(row['cursor_json'])]),
    ),
  };
  return rows as unknown as Rows; // the schema's columns are the model's fields
}

function toFields(row: Row): unknown {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      const isJson = column.endsWith('_json');
      const name = FIELD_NAMES[column] ?? (isJson ? column.slice(0, -'_json'.length) : column);
      const field = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      return [field, isJson ? parse(value) : value];
    }),
  );
}

function parse(value: unknown): unknown {
  return typeof value === 'string' ? (JSON.parse(value) as unknown) : value;
}
