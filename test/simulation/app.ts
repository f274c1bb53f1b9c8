import { apply, defineWorker, mutation, query } from 'tidelock/worker';
import { z } from 'zod';
import type { AppDefinition } from '../../worker/app/app-definition';

const row = z.strictObject({ id: z.string(), caller: z.string(), sequence: z.int() });

/** Nothing here refuses what is done twice, so that what is done twice can be seen. */
const TABLES = `
  CREATE TABLE rows (arrival INTEGER PRIMARY KEY, id TEXT NOT NULL, caller TEXT NOT NULL, sequence INTEGER NOT NULL) STRICT;
  CREATE TABLE pulled (id TEXT PRIMARY KEY, times INTEGER NOT NULL) STRICT;
  CREATE TABLE echoed (id TEXT PRIMARY KEY, times INTEGER NOT NULL) STRICT;`;

const INSERT = 'INSERT INTO rows (id, caller, sequence) VALUES (?, ?, ?)';
const FIND_UNSAFE = "SELECT 1 FROM sqlite_schema WHERE name = 'unsafe'";

const count = (table: 'pulled' | 'echoed'): string =>
  `INSERT INTO ${table} (id, times) VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET times = times + 1`;

/** Of the first build; a later one knows `addRowNext` as well. */
const definition = {
  name: 'simulation',
  migrations: [{ id: 1, name: 'tables', sql: TABLES }],
  queries: {
    rows: query(z.strictObject({}), (db) => db.all('SELECT id FROM rows').map((each) => String(each['id']))),
  },
  mutations: {
    addRow: mutation(row, (db, { id, caller, sequence }) => {
      if (db.all(FIND_UNSAFE).length > 0)
        throw new Error('the first build writes to a schema that is not safe for it');
      db.run(INSERT, [id, caller, sequence]);
      return { id };
    }),
    /** Its row must not stay. */
    addRowAndThrow: mutation(row, (db, { id, caller, sequence }) => {
      db.run(INSERT, [id, caller, sequence]);
      throw new RangeError('on purpose');
    }),
  },
  apply: {
    page: apply(z.array(z.strictObject({ id: z.string() })), (db, page) => {
      for (const { id } of page) db.run(count('pulled'), [id]);
    }),
    echo: apply(z.null(), (db, _page, { operationIdentities }) => {
      for (const identity of operationIdentities) db.run(count('echoed'), [identity]);
    }),
  },
} as const satisfies AppDefinition;

/** What a deploy in the middle of a run may bring. */
export const BUILDS = ['newer', 'safe', 'later'] as const;
export type BuildName = 'first' | (typeof BUILDS)[number];

const addRowNext = mutation(row, (db, { id, caller, sequence }) => {
  db.run(INSERT, [id, caller, sequence]);
  return { id };
});

const next = { ...definition, mutations: { ...definition.mutations, addRow: addRowNext, addRowNext } };
const [tables] = definition.migrations;

const DEFINITIONS = {
  first: definition,
  newer: { ...next, migrations: [tables, { id: 2, name: 'unsafe', sql: 'CREATE TABLE unsafe (id TEXT)' }] },
  safe: {
    ...next,
    migrations: [tables, { id: 2, name: 'beside', sql: 'CREATE TABLE beside (id TEXT)', safeFrom: 1 }],
  },
  later: { ...next, version: 1 },
} as const satisfies Readonly<Record<BuildName, AppDefinition>>;

const app = defineWorker(next);
export type App = typeof app;

/** What the simulated worker's script serves. */
export function getDefinition(build: BuildName): AppDefinition {
  return DEFINITIONS[build];
}
