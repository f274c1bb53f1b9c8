/** Retention of finished permits and of resolved obligations, which are alike but for what names what. */
import { describe, expect, test } from 'vitest';
import { refusalOf, setupStores, type StoreSetup } from '../stores/support/store-setup';

const WEEK_MS = 7 * 86_400_000;
const INSERTS = {
  permits: `INSERT INTO local_sync_execution_permits (permit_id, workspace_id, coordinator_generation,
      server_instance_id, owner_mode, operation_class, state, upstream_disposition, issued_at, deadline_at,
      last_transition_at, completed_at, is_obliged)
    VALUES (?1, 'w', 1, 's', 'browser-gateway', 'handshake', iif(?3, 'abandoned-reconcile-required', 'released'),
      'accepted', ?2, ?2, ?2, ?2, ?3)`,
  obligations: `INSERT INTO local_sync_recovery_obligations (obligation_id, permit_id, workspace_id,
      operation_class, upstream_disposition, required_action, created_at, resolved_at)
    VALUES (?1, ?1, 'w', 'handshake', 'accepted', 'refetch-from-committed-cursor', ?2, iif(?3, NULL, ?2))`,
} as const;
type Kind = keyof typeof INSERTS;

interface Finished {
  readonly prefix: string;
  readonly count: number;
  /** How long ago the first one was finished, and how far apart they are. */
  readonly agoMs: number;
  readonly apartMs?: number;
  /** Of permits: whether an obligation names them. Of obligations: whether they are open. */
  readonly isHeld?: boolean;
}

async function setup(kind: Kind) {
  const stores = await setupStores();
  const { database, clock, permits } = stores;
  const insert = ({ prefix, count, agoMs, apartMs = 1, isHeld = false }: Finished): void =>
    database.transaction(() => {
      for (let i = 0; i < count; i++) {
        const id = `${prefix}-${String(i).padStart(4, '0')}`;
        database.prepare(INSERTS[kind]).run([id, clock.in(i * apartMs - agoMs), isHeld ? 1 : 0]);
      }
    });
  const prune = (limit?: number): number => permits.pruneTerminalHistory(limit)[kind];
  return { ...stores, insert, prune, listIds: (prefix: string) => listIds(stores, kind, prefix) };
}

function listIds({ database }: Pick<StoreSetup, 'database'>, kind: Kind, prefix: string): readonly string[] {
  const [table, column] =
    kind === 'permits'
      ? ['local_sync_execution_permits', 'permit_id']
      : ['local_sync_recovery_obligations', 'obligation_id'];
  return database
    .prepare(`SELECT ${column} AS id FROM ${table} WHERE ${column} LIKE ? ORDER BY 1`)
    .all([`${prefix}-%`])
    .map((row) => String(row['id']));
}

describe.each(['permits', 'obligations'] as const)('finished %s', (kind) => {
  test('go when they are older than a week, and not before', async () => {
    const { insert, prune, listIds } = await setup(kind);
    insert({ prefix: 'newest', count: 1_000, agoMs: 1_000 });
    insert({ prefix: 'aged', count: 3, agoMs: WEEK_MS + 1 });
    expect(prune()).toBe(1);
    expect(listIds('aged')).toEqual(['aged-0001', 'aged-0002']);
  });

  test('stay where they are among the newest thousand, however old', async () => {
    const { insert, prune, listIds } = await setup(kind);
    insert({ prefix: 'old', count: 1_000, agoMs: 2 * WEEK_MS });
    expect(prune()).toBe(0);
    insert({ prefix: 'older', count: 1, agoMs: 3 * WEEK_MS });
    expect(prune()).toBe(1);
    expect(listIds('old')).toHaveLength(1_000);
  });

  test('of one instant go by their ids', async () => {
    const { insert, prune, listIds } = await setup(kind);
    insert({ prefix: 'old', count: 1_005, agoMs: 2 * WEEK_MS, apartMs: 0 });
    expect(prune(2)).toBe(2);
    expect(listIds('old')[0]).toBe('old-0002');
    expect(prune()).toBe(3);
    expect(listIds('old')[0]).toBe('old-0005');
    expect(prune()).toBe(0);
  });

  test('go oldest first, 250 at a time where no limit is given', async () => {
    const { insert, prune, listIds } = await setup(kind);
    insert({ prefix: 'newest', count: 1_000, agoMs: 1_000 });
    insert({ prefix: 'old', count: 251, agoMs: 2 * WEEK_MS });
    insert({ prefix: 'older', count: 1, agoMs: 3 * WEEK_MS });
    expect(prune()).toBe(250);
    expect(listIds('older')).toEqual([]);
    expect(listIds('old')).toEqual(['old-0249', 'old-0250']);
  });

  test('go by a limit from 1 to 5,000', async () => {
    const { prune } = await setup(kind);
    expect(prune(1)).toBe(0);
    expect(prune(5_000)).toBe(0);
    for (const limit of [0, 5_001, 1.5]) expect(refusalOf(() => prune(limit))).toBe('LIMIT_INVALID');
  });
});

describe('a permit that an obligation names', () => {
  test('stays, and counts among the newest thousand', async () => {
    const { insert, prune, listIds } = await setup('permits');
    insert({ prefix: 'held', count: 600, agoMs: 2 * WEEK_MS, isHeld: true });
    insert({ prefix: 'old', count: 405, agoMs: 3 * WEEK_MS });
    insert({ prefix: 'held-longest', count: 3, agoMs: 4 * WEEK_MS, isHeld: true });
    expect(prune()).toBe(5);
    expect(listIds('old')[0]).toBe('old-0005');
    expect(listIds('held')).toHaveLength(603);
  });

  test('stays even where its row does not say so', async () => {
    const { insert, prune, listIds, database } = await setup('permits');
    insert({ prefix: 'newest', count: 1_000, agoMs: 1_000 });
    insert({ prefix: 'old', count: 2, agoMs: 2 * WEEK_MS });
    database.prepare(INSERTS.obligations).run(['old-0000', 'x', 1]);
    expect(prune()).toBe(1);
    expect(listIds('old')).toEqual(['old-0000']);
  });

  test('goes with it, and no other does', async () => {
    const { insert, database, permits, clock } = await setup('permits');
    insert({ prefix: 'newest', count: 1_000, agoMs: 1_000 });
    insert({ prefix: 'old', count: 2, agoMs: 2 * WEEK_MS, isHeld: true });
    const put = database.prepare(INSERTS.obligations);
    put.run(['old-0000', clock.in(-2 * WEEK_MS), 0]);
    put.run(['old-0001', clock.in(-2 * WEEK_MS), 1]);
    for (let i = 0; i < 1_000; i++) put.run([`newest-${i}`, clock.read(), 0]);
    expect(permits.pruneTerminalHistory()).toEqual({ obligations: 1, permits: 1 });
    expect(listIds({ database }, 'permits', 'old')).toEqual(['old-0001']);
    const held = database.prepare('SELECT is_obliged FROM local_sync_execution_permits WHERE permit_id = ?');
    expect(held.get(['old-0001'])).toEqual({ is_obliged: 1 });
  });
});

test('an open obligation is no history', async () => {
  const { insert, prune } = await setup('obligations');
  insert({ prefix: 'open', count: 1_001, agoMs: 2 * WEEK_MS, isHeld: true });
  insert({ prefix: 'old', count: 1_000, agoMs: 2 * WEEK_MS });
  expect(prune()).toBe(0);
});
