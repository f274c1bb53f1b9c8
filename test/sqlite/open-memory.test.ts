import { expect, test } from 'vitest';
import { openMemory } from '../../worker/sqlite/open-memory';

test('a database in memory has the same shape as one in OPFS, and each is another', async () => {
  const [one, two] = [await openMemory(), await openMemory()];
  expect(one.storage).toBe('memory');
  expect(one.databaseId).not.toBe(two.databaseId);
  expect(one.database.prepare('SELECT database_id FROM local_sync_database').get()).toEqual({
    database_id: one.databaseId,
  });
  for (const [pragma, value] of Object.entries({ foreign_keys: 1, trusted_schema: 0 })) {
    expect(one.database.prepare(`PRAGMA ${pragma}`).get()).toEqual({ [pragma]: value });
  }
  one.close();
  one.close();
  expect(two.database.prepare('SELECT 1 AS one').get()).toEqual({ one: 1 });
  two.close();
});

test('the bytes of a database are a database', async () => {
  const { database, close } = await openMemory();
  const header = new TextDecoder().decode(database.serialize().subarray(0, 15));
  expect(header).toBe('SQLite format 3');
  close();
});
