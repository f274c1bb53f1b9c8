/** Older code that meets a newer database: refused, and nothing is written. */
import { expect, test } from 'vitest';
import { startStorage } from '../storage/start-storage';
import { freshDatabase, joinLedger, mustBeOk, openLedgerTab, shouldFailWith } from './setup';

/** Everything that is in the database, schema and rows, as text. Nobody may have it open. */
async function dump(db: string): Promise<string> {
  const storage = startStorage();
  await storage.run('open', { name: db });
  const tables = await storage.run(
    'all',
    "SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name",
  );
  const content: unknown[] = [tables];
  for (const { name } of tables) {
    const rows = await storage.run('all', `SELECT * FROM "${String(name)}"`);
    content.push([name, rows]);
  }
  await storage.run('close');
  return JSON.stringify(content);
}

test('an older page on a newer database is SCHEMA_TOO_NEW, and not a row of it is another', async () => {
  const db = freshDatabase();
  const newer = await joinLedger(db, { faults: 'build=newer' });
  mustBeOk(await newer.call('mutate', 'append', 'new', 0));
  await newer.close();
  const before = await dump(db);
  const older = await openLedgerTab();
  expect(await older.call('join', db)).toMatchObject({
    ok: false,
    code: 'SCHEMA_TOO_NEW',
    details: { scope: 'app', storedId: 2, storedName: 'authors', safeFrom: 2, knownId: 1 },
  });
  await older.close();
  expect(await dump(db)).toBe(before);
  const again = await joinLedger(db, { faults: 'build=newer' });
  expect(await again.call('readEntries')).toHaveLength(1);
});

test('a page that slept through the deploy learns of it when it returns, and never writes', async () => {
  const db = freshDatabase();
  const older = await joinLedger(db);
  mustBeOk(await older.call('mutate', 'append', 'old', 0));
  await older.evaluate(() => document.dispatchEvent(new Event('freeze')));
  const newer = await joinLedger(db, { faults: 'build=newer' });
  mustBeOk(await newer.call('mutate', 'append', 'new', 0));
  await newer.close();
  const asked = older.call('mutate', 'append', 'old', 1);
  await older.evaluate(() => document.dispatchEvent(new Event('resume')));
  shouldFailWith(await asked, 'UPGRADE_REQUIRED');
  await older.call('waitForConnection', 'outdated');
  expect(await older.call('readUpgrades')).toEqual(['UPGRADE_REQUIRED']);
  const again = await joinLedger(db, { faults: 'build=newer' });
  expect((await again.call('readEntries')).map(({ tab }) => tab)).toEqual(['old', 'new']);
});
