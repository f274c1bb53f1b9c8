import { describe, expect, test } from 'vitest';
import { envelope, setupStores, type StoreSetup } from '../stores/support/store-setup';

const WEEK_MS = 7 * 86_400_000;
const INSERT = `INSERT INTO local_sync_coordinator_commands (command_id, workspace_id,
    expected_coordinator_generation, command_type, command_version, canonical_fingerprint, requested_by_json,
    requested_at, status, completed_at, updated_at)
  VALUES (?1, 'w', 1, 'Sync', 1, 'f', 'null', ?2, 'failed', ?2, ?2)`;

interface Finished {
  readonly prefix: string;
  readonly count: number;
  /** How long ago the first one was finished, and how far apart they are. */
  readonly agoMs: number;
  readonly apartMs?: number;
}

/** Finished commands, put there by SQL: nothing of a call is tested by them. */
function insert({ database, clock }: StoreSetup, { prefix, count, agoMs, apartMs = 1 }: Finished): void {
  database.transaction(() => {
    for (let i = 0; i < count; i++) {
      const commandId = `${prefix}-${String(i).padStart(4, '0')}`;
      database.prepare(INSERT).run([commandId, clock.in(i * apartMs - agoMs)]);
    }
  });
}

function listIds({ database }: StoreSetup, prefix: string): readonly string[] {
  const sql = `SELECT command_id FROM local_sync_coordinator_commands WHERE command_id LIKE ? ORDER BY command_id`;
  return database
    .prepare(sql)
    .all([`${prefix}-%`])
    .map((row) => String(row['command_id']));
}

/** A thousand newer ones, so that age alone decides over the rest. */
async function setup() {
  const setup = await setupStores();
  insert(setup, { prefix: 'newest', count: 1_000, agoMs: 1_000 });
  return setup;
}

describe('commands past the newest thousand', () => {
  test('go when they are older than a week, and not before', async () => {
    const stores = await setup();
    insert(stores, { prefix: 'aged', count: 3, agoMs: WEEK_MS + 1 });
    insert(stores, { prefix: 'young', count: 3, agoMs: WEEK_MS - 10 });
    // The boot command is younger too, and not among the newest thousand.
    expect(stores.coordinator.pruneTerminalCommands()).toBe(1);
    expect(listIds(stores, 'aged')).toEqual(['aged-0001', 'aged-0002']);
    expect(listIds(stores, 'young')).toHaveLength(3);
  });

  test('go oldest first, a slice at a time', async () => {
    const stores = await setup();
    insert(stores, { prefix: 'old', count: 300, agoMs: 2 * WEEK_MS });
    expect(stores.coordinator.pruneTerminalCommands()).toBe(250);
    expect(listIds(stores, 'old')[0]).toBe('old-0250');
    expect(listIds(stores, 'old')).toHaveLength(50);
    expect(stores.coordinator.pruneTerminalCommands()).toBe(50);
    expect(stores.coordinator.pruneTerminalCommands()).toBe(0);
  });

  test('go by their ids where they were finished at once', async () => {
    const stores = await setup();
    insert(stores, { prefix: 'old', count: 300, agoMs: 2 * WEEK_MS, apartMs: 0 });
    stores.coordinator.pruneTerminalCommands();
    expect(listIds(stores, 'old')[0]).toBe('old-0250');
  });

  test('are found behind any number that somebody still names', async () => {
    const stores = await setup();
    const { coordinator } = stores;
    // Its accept runs retention, so it comes before there is anything to delete.
    coordinator.acceptCommand(envelope({ commandId: 'namer' }));
    insert(stores, { prefix: 'named', count: 600, agoMs: 3 * WEEK_MS });
    insert(stores, { prefix: 'old', count: 5, agoMs: 2 * WEEK_MS });
    const result = listIds(stores, 'named').map((commandId) => ({ commandId }));
    coordinator.finishCommand({ commandId: 'namer', status: 'succeeded', result });
    expect(coordinator.pruneTerminalCommands()).toBe(5);
    expect(listIds(stores, 'named')).toHaveLength(600);
    expect(listIds(stores, 'old')).toEqual([]);
  });
});
