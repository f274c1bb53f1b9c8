/** The application's own SQL: a handler's statement, or a migration, which may also change the schema. */
export type AppMode = 'app' | 'app-migration';

/** Codes of the authorizer; part of SQLite's stable interface. */
const ACTION = {
  CREATE_INDEX: 1,
  CREATE_TABLE: 2,
  CREATE_TEMP_INDEX: 3,
  CREATE_TEMP_TABLE: 4,
  CREATE_TEMP_TRIGGER: 5,
  CREATE_TEMP_VIEW: 6,
  CREATE_TRIGGER: 7,
  CREATE_VIEW: 8,
  DELETE: 9,
  DROP_INDEX: 10,
  DROP_TABLE: 11,
  DROP_TEMP_INDEX: 12,
  DROP_TEMP_TABLE: 13,
  DROP_TEMP_TRIGGER: 14,
  DROP_TEMP_VIEW: 15,
  DROP_TRIGGER: 16,
  DROP_VIEW: 17,
  INSERT: 18,
  PRAGMA: 19,
  READ: 20,
  SELECT: 21,
  UPDATE: 23,
  ALTER_TABLE: 26,
  REINDEX: 27,
  ANALYZE: 28,
  CREATE_VTABLE: 29,
  DROP_VTABLE: 30,
  FUNCTION: 31,
  RECURSIVE: 33,
} as const;

const READS = new Set<number>([ACTION.READ, ACTION.SELECT, ACTION.FUNCTION, ACTION.RECURSIVE]);
const WRITES = new Set<number>([ACTION.INSERT, ACTION.UPDATE, ACTION.DELETE]);
const SCHEMA_CHANGES = new Set<number>([
  ACTION.CREATE_INDEX,
  ACTION.CREATE_TABLE,
  ACTION.CREATE_TEMP_INDEX,
  ACTION.CREATE_TEMP_TABLE,
  ACTION.CREATE_TEMP_TRIGGER,
  ACTION.CREATE_TEMP_VIEW,
  ACTION.CREATE_TRIGGER,
  ACTION.CREATE_VIEW,
  ACTION.DROP_INDEX,
  ACTION.DROP_TABLE,
  ACTION.DROP_TEMP_INDEX,
  ACTION.DROP_TEMP_TABLE,
  ACTION.DROP_TEMP_TRIGGER,
  ACTION.DROP_TEMP_VIEW,
  ACTION.DROP_TRIGGER,
  ACTION.DROP_VIEW,
  ACTION.ALTER_TABLE,
  ACTION.REINDEX,
  ACTION.ANALYZE,
  ACTION.CREATE_VTABLE,
  ACTION.DROP_VTABLE,
]);

/**
 * Pragmas that only read. FTS5 asks data_version before each search; ADD COLUMN with a constraint asks quick_check;
 * the rest tells an application about its own schema.
 */
const READ_PRAGMAS = new Set([
  'data_version',
  'foreign_key_check',
  'foreign_key_list',
  'index_info',
  'index_list',
  'index_xinfo',
  'integrity_check',
  'quick_check',
  'table_info',
  'table_list',
  'table_xinfo',
]);

/** Only without a value, which would set it. R-Tree asks it when it is created. */
const READ_PRAGMAS_WITHOUT_VALUE = new Set(['page_size']);

/** Tables of SQLite's own that a statement may write: always, and as part of a schema change. */
const OWN_TABLES_WRITABLE: Readonly<Record<AppMode, ReadonlySet<string>>> = {
  app: new Set(['sqlite_sequence']),
  'app-migration': new Set([
    'sqlite_sequence',
    'sqlite_master',
    'sqlite_temp_master',
    'sqlite_stat1',
    'sqlite_stat4',
  ]),
};

const SCHEMA_OBJECTION = 'only a migration may change the schema';

/** What SQLite asks the authorizer: an action, and what the action is about (which differs with the action). */
export interface GuardQuestion {
  readonly action: number;
  readonly first: string;
  readonly second: string;
}

/** Whether a name belongs to the library. SQLite compares names without case. */
export function isReservedName(name: string): boolean {
  return /^local_(workspace_)?sync_/i.test(name);
}

/** Why the application may not do this; undefined where it may. */
export function findObjection(mode: AppMode, { action, first, second }: GuardQuestion): string | undefined {
  if (READS.has(action)) return undefined;
  if (WRITES.has(action)) return findWriteObjection(mode, first);
  if (action === ACTION.PRAGMA) return findPragmaObjection(first, second);
  if (!SCHEMA_CHANGES.has(action)) {
    return 'transaction control, ATTACH and DETACH are not allowed; use db.transaction()';
  }
  if (mode !== 'app-migration') return SCHEMA_OBJECTION;
  // Without a name they go over every table, and they change none.
  if (action === ACTION.ANALYZE || action === ACTION.REINDEX) return undefined;
  const reserved = [first, second].find(isReservedName);
  return reserved === undefined ? undefined : `"${reserved}" belongs to the library`;
}

/** The table an action reads or writes, in lower case; undefined where it is none an application would know. */
export function findTable({ action, first }: GuardQuestion): { table: string; isWrite: boolean } | undefined {
  const isWrite = WRITES.has(action);
  if (!isWrite && action !== ACTION.READ) return undefined;
  const table = first.toLowerCase();
  return table === '' || table.startsWith('sqlite_') ? undefined : { table, isWrite };
}

function findPragmaObjection(pragma: string, value: string): string | undefined {
  const name = pragma.toLowerCase();
  if (READ_PRAGMAS.has(name) || (READ_PRAGMAS_WITHOUT_VALUE.has(name) && value === '')) return undefined;
  return `PRAGMA ${pragma} is not allowed`;
}

function findWriteObjection(mode: AppMode, table: string): string | undefined {
  if (isReservedName(table)) return `"${table}" belongs to the library and may only be read`;
  const name = table.toLowerCase();
  if (!name.startsWith('sqlite_') || OWN_TABLES_WRITABLE[mode].has(name)) return undefined;
  if (OWN_TABLES_WRITABLE['app-migration'].has(name)) return SCHEMA_OBJECTION;
  return `"${table}" belongs to SQLite and may only be read`;
}
