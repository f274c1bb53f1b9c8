import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readMigrationFiles, renderMigrations, renderSchema } from '../../migrations/generate.mts';
import {
  COMMAND_STATUSES,
  COMMAND_TYPES,
  OWNERSHIP_MODES,
  OWNER_MODES,
  TERMINAL_COMMAND_STATUSES,
  TRANSFER_PHASES,
  TRANSITION_STATES,
} from '../../src/domain/coordinator-vocabulary';
import { dispositionsIn } from '../../src/domain/permit-machine';
import {
  DEFAULT_STREAM,
  MUTATION_CLASSES,
  OPERATION_CLASSES,
  PERMIT_STATES,
  REQUIRED_ACTIONS,
  TERMINAL_PERMIT_STATES,
  UPSTREAM_DISPOSITIONS,
} from '../../src/domain/permit-vocabulary';

const folder = join(import.meta.dirname, '../../migrations');
const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
const schema = read('schema.sql');

/** The definition of a table, from the checked-in schema. */
function tableOf(name: string): string {
  const start = schema.indexOf(`CREATE TABLE ${name} (`);
  return schema.slice(start, schema.indexOf(' STRICT', start));
}

/** The sets a definition allows for a column, each as written: `column IN ('a', 'b')`. */
function setsOf(table: string, column: string): readonly (readonly string[])[] {
  const pattern = new RegExp(`\\b${column} IN \\(([^)]*)\\)`, 'g');
  return [...tableOf(table).matchAll(pattern)].map(([, list = '']) =>
    [...list.matchAll(/'([^']*)'/g)].map(([, value = '']) => value),
  );
}

test('the generated module is what the .sql files make', () => {
  expect(read('migrations.generated.ts')).toBe(renderMigrations(readMigrationFiles()));
});

test('the checked-in schema is what the migrations come to', async () => {
  expect(schema).toBe(await renderSchema(readMigrationFiles()));
});

test('migrations are numbered from 1 without a gap', () => {
  const ids = readMigrationFiles().map((file) => file.id);
  expect(ids).toEqual(ids.map((_, index) => index + 1));
});

test('every table is STRICT', () => {
  const tables = schema.match(/CREATE TABLE/g) ?? [];
  const strict = schema.match(/\) STRICT/g) ?? [];
  expect(strict.length).toBe(tables.length);
});

describe('the closed sets of the schema are those of the domain', () => {
  const STATE = 'local_sync_coordinator_state';
  const COMMANDS = 'local_sync_coordinator_commands';
  const PERMITS = 'local_sync_execution_permits';
  const OBLIGATIONS = 'local_sync_recovery_obligations';

  test.each([
    [STATE, 'ownership_mode', OWNERSHIP_MODES],
    [STATE, 'desired_ownership_mode', OWNER_MODES],
    [STATE, 'transition_state', TRANSITION_STATES],
    [STATE, 'transfer_target_mode', OWNER_MODES],
    [STATE, 'transfer_phase', TRANSFER_PHASES],
    [COMMANDS, 'command_type', COMMAND_TYPES],
    [COMMANDS, 'status', COMMAND_STATUSES],
    [PERMITS, 'owner_mode', OWNER_MODES],
    [PERMITS, 'operation_class', OPERATION_CLASSES],
    [PERMITS, 'state', PERMIT_STATES],
    [PERMITS, 'upstream_disposition', UPSTREAM_DISPOSITIONS],
    [OBLIGATIONS, 'required_action', REQUIRED_ACTIONS],
  ])('%s.%s', (table, column, domain) => {
    expect(setsOf(table, column)[0]).toEqual([...domain]);
  });

  test('the terminal states are the ones that have a completion time', () => {
    expect(setsOf(COMMANDS, 'status')[1]).toEqual([...TERMINAL_COMMAND_STATUSES]);
    expect(setsOf(PERMITS, 'state')[1]).toEqual([...TERMINAL_PERMIT_STATES]);
  });

  test('only mutations have an operation identity', () => {
    expect(tableOf(PERMITS)).toContain(
      `operation_identity IS NULL OR operation_class IN (${MUTATION_CLASSES.map((name) => `'${name}'`).join(', ')})`,
    );
  });

  test('obligations are of every class that goes upstream, with a disposition that leaves one', () => {
    expect(setsOf(OBLIGATIONS, 'operation_class')[0]).toEqual(
      OPERATION_CLASSES.filter((name) => name !== 'local-apply'),
    );
    expect(new Set(setsOf(OBLIGATIONS, 'upstream_disposition')[0])).toEqual(
      new Set(dispositionsIn('abandoned-reconcile-required')),
    );
  });

  test.each(PERMIT_STATES)('the dispositions of %s are the ones the machine leads there with', (state) => {
    const pattern = new RegExp(`state <> '${state}' OR upstream_disposition IN \\(([^)]*)\\)`);
    const list = pattern.exec(tableOf(PERMITS))?.[1] ?? '';
    const allowed = [...list.matchAll(/'([^']*)'/g)].map(([, value]) => value);
    expect(new Set(allowed)).toEqual(new Set(dispositionsIn(state)));
  });

  test('the default stream is the one the schema gives', () => {
    for (const table of [PERMITS, OBLIGATIONS]) {
      expect(tableOf(table)).toContain(`stream TEXT NOT NULL DEFAULT '${DEFAULT_STREAM}'`);
    }
  });
});
