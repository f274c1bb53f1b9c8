import { expect, test } from 'vitest';
import { warmSqlite } from '../../worker/sqlite/warm-sqlite';

test('the rehearsal of a standby worker succeeds, any number of times', async () => {
  await expect(warmSqlite()).resolves.toBeUndefined();
  await expect(warmSqlite()).resolves.toBeUndefined();
});
