import { describe, expect, onTestFinished, test } from 'vitest';
import { STORE_MIGRATIONS } from '../../migrations/migrations.generated';
import { openStores } from '../../worker/stores';
import {
  REQUESTED_BY,
  TestClock,
  envelope,
  setupStores,
  type StoreSetup,
} from '../stores/support/store-setup';
import { openCounted } from './support';

const WEEK_MS = 7 * 86_400_000;
const INSERT = `INSERT INTO local_sync_coordinator_commands (command_id, workspace_id,
    expected_coordinator_generation, command_type, command_version, canonical_fingerprint, requested_by_json,
    requested_at, status, completed_at, updated_at)
  VALUES (?1, 'w', 1, 'Sync', 1, 'f', 'null', ?2, 'failed', ?2, ?2)`;

type Place = Pick<StoreSetup, 'database' | 'clock'>;

interface Finished {
  readonly prefix: string;
  readonly count: number;
  /** How long ago the first one was finished, and how far apart they are. */
  readonly agoMs: number;
  readonly apartMs?: number;
}

/** Finished commands, put there by SQL: nothing of a call is tested by them. */
function insert({ database, clock }: Place, { prefix, count, agoMs, apartMs = 1 }: Finished): void {
  database.transaction(() => {
    for (let i = 0; i < count; i++) {
      const commandId = `${prefix}-${String(i).padStart(4, '0')}`;
      database.prepare(INSERT).run([commandId, clock.in(i * apartMs - agoMs)]);
    }
  });
}

function listIds({ database }: Pick<Place, 'database'>, prefix: string): readonly string[] {
  const sql = `SELECT command_id FROM local_sync_coordinator_commands WHERE command_id LIKE ? ORDER BY command_id`;
  return database
    .prepare(sql)
    .all([`${prefix}-%`])
    .map((row) => String(row['command_id']));
}

/** Lets the result of one command name another, as far as retention looks. */
function name({ database }: Pick<Place, 'database'>, commandId: string, referenced: string): void {
  database
    .prepare('INSERT INTO local_sync_command_references (command_id, referenced_command_id) VALUES (?, ?)')
    .run([commandId, referenced]);
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

describe('the newest thousand', () => {
  test('stay however old they are, and where there are no more nothing goes', async () => {
    const stores = await setupStores();
    // The switch that made the workspace active is the thousandth.
    insert(stores, { prefix: 'old', count: 999, agoMs: 2 * WEEK_MS });
    expect(stores.coordinator.pruneTerminalCommands()).toBe(0);
    insert(stores, { prefix: 'older', count: 1, agoMs: 3 * WEEK_MS });
    expect(stores.coordinator.pruneTerminalCommands()).toBe(1);
    expect(listIds(stores, 'older')).toEqual([]);
  });

  test('are those of the higher ids where all were finished at once, and keep what they name', async () => {
    const stores = await setupStores();
    insert(stores, { prefix: 'old', count: 1_005, agoMs: 2 * WEEK_MS, apartMs: 0 });
    // Six may go: 0000 to 0005.
    name(stores, 'old-0006', 'old-0001');
    name(stores, 'old-0005', 'old-0002');
    expect(stores.coordinator.pruneTerminalCommands()).toBe(5);
    expect(listIds(stores, 'old').slice(0, 2)).toEqual(['old-0001', 'old-0006']);
  });
});

describe('a command that may go stays', () => {
  test('where a younger one names it, though that is not among the newest either', async () => {
    const stores = await setup();
    insert(stores, { prefix: 'old', count: 2, agoMs: 2 * WEEK_MS });
    insert(stores, { prefix: 'young', count: 1, agoMs: WEEK_MS / 2 });
    name(stores, 'young-0000', 'old-0001');
    expect(stores.coordinator.pruneTerminalCommands()).toBe(1);
    expect(listIds(stores, 'old')).toEqual(['old-0001']);
  });

  test('where it owns the switch that is under way', async () => {
    const stores = await setup();
    insert(stores, { prefix: 'old', count: 2, agoMs: 2 * WEEK_MS });
    stores.coordinator.beginWorkspaceSwitch({
      commandId: 'old-0001',
      expectedGeneration: 1,
      expectedActiveWorkspaceId: 'w',
      targetWorkspaceId: 'w-2',
      requestedBy: REQUESTED_BY,
    });
    expect(stores.coordinator.pruneTerminalCommands()).toBe(1);
    expect(listIds(stores, 'old')).toEqual(['old-0001']);
  });

  test('where the row names it as the owner of a transfer, and so does what it was named by', async () => {
    const stores = await setup();
    insert(stores, { prefix: 'old', count: 3, agoMs: 2 * WEEK_MS });
    stores.database.exec(`UPDATE local_sync_coordinator_state SET accepted_transfer_command_id = 'old-0002',
      transfer_target_mode = 'server', transfer_phase = 'draining', transfer_version = 1`);
    name(stores, 'old-0002', 'old-0000');
    expect(stores.coordinator.pruneTerminalCommands()).toBe(1);
    expect(listIds(stores, 'old')).toEqual(['old-0000', 'old-0002']);
  });
});

test('a chain of commands that all go is walked once, not once for each', async () => {
  const costs: number[] = [];
  for (const length of [100, 200]) {
    const { database, count, close } = await openCounted();
    onTestFinished(close);
    for (const { sql } of STORE_MIGRATIONS) database.exec(sql);
    const clock = new TestClock();
    const stores = { database, clock };
    const { coordinator } = openStores({ database, clock: clock.read, newId: () => 'id' });
    insert(stores, { prefix: 'newest', count: 1_000, agoMs: 1_000 });
    insert(stores, { prefix: 'old', count: length, agoMs: 2 * WEEK_MS });
    const ids = listIds(stores, 'old');
    for (const [index, id] of ids.slice(1).entries()) name(stores, id, ids[index] ?? '');
    costs.push(count(() => expect(coordinator.pruneTerminalCommands()).toBe(length)));
  }
  const [short = 0, long = 0] = costs;
  expect(long).toBeLessThan(short * 2.5);
});
