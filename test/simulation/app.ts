import { apply, defineWorker, mutation, query } from 'tidelock/worker';
import { z } from 'zod';
import type { AppDefinition } from '../../worker/app/app-definition';

const row = z.strictObject({ id: z.string(), caller: z.string(), sequence: z.int() });

/** Nothing here refuses what is done twice, so that what is done twice can be seen. */
const TABLES = `
  CREATE TABLE rows (arrival INTEGER PRIMARY KEY, id TEXT NOT NULL, caller TEXT NOT NULL, sequence INTEGER NOT NULL) STRICT;
  CREATE TABLE pulled (id TEXT PRIMARY KEY, times INTEGER NOT NULL) STRICT;
  CREATE TABLE echoed (id TEXT PRIMARY KEY, times INTEGER NOT NULL) STRICT;`;

const count = (table: 'pulled' | 'echoed'): string =>
  `INSERT INTO ${table} (id, times) VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET times = times + 1`;

const definition = {
  name: 'simulation',
  migrations: [{ id: 1, name: 'tables', sql: TABLES }],
  queries: {
    rows: query(z.strictObject({}), (db) => db.all('SELECT id FROM rows').map((each) => String(each['id']))),
  },
  mutations: {
    addRow: mutation(row, (db, { id, caller, sequence }) => {
      db.run('INSERT INTO rows (id, caller, sequence) VALUES (?, ?, ?)', [id, caller, sequence]);
      return { id };
    }),
    /** Its row must not stay. */
    addRowAndThrow: mutation(row, (db, { id, caller, sequence }) => {
      db.run('INSERT INTO rows (id, caller, sequence) VALUES (?, ?, ?)', [id, caller, sequence]);
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

const app = defineWorker(definition);
export type App = typeof app;

/** What the simulated worker's script serves. */
export const appDefinition: AppDefinition = definition;
