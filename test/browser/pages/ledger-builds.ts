/**
 * The builds of the ledger that a deploy may bring, asked for in the query of the worker's URL: `?build=newer`.
 */
import type { AppDefinition } from '../../../worker/app/app-definition';

type Migrations = NonNullable<AppDefinition['migrations']>;

export interface LedgerBuild {
  readonly version: number;
  readonly migrations: Migrations;
}

const entries: Migrations[number] = {
  id: 1,
  name: 'entries',
  sql: `CREATE TABLE entries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, tab TEXT NOT NULL, n INTEGER NOT NULL, workspace TEXT NOT NULL
  ) STRICT`,
};

const BUILDS = {
  first: { version: 0, migrations: [entries] },
  /** Only handlers changed. */
  later: { version: 1, migrations: [entries] },
  /** What the first build writes would count as nobody's here. */
  newer: {
    version: 0,
    migrations: [
      entries,
      { id: 2, name: 'authors', sql: "ALTER TABLE entries ADD COLUMN author TEXT NOT NULL DEFAULT 'nobody'" },
    ],
  },
  /** A table beside, which the first build need not know. */
  safe: {
    version: 0,
    migrations: [
      entries,
      { id: 2, name: 'colours', sql: 'CREATE TABLE colours (name TEXT) STRICT', safeFrom: 1 },
    ],
  },
  broken: {
    version: 0,
    migrations: [
      entries,
      { id: 2, name: 'broken', sql: 'CREATE TABLE half (id TEXT) STRICT; INSERT INTO nowhere VALUES (1);' },
    ],
  },
} satisfies Readonly<Record<string, LedgerBuild>>;

export type BuildName = keyof typeof BUILDS;

export const buildName = (new URLSearchParams(location.search).get('build') ?? 'first') as BuildName; // the tests name no other
export const build: LedgerBuild = BUILDS[buildName];
