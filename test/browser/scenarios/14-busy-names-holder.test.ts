import { expect, test } from 'vitest';
import { lockNames } from '../../../src/protocol/names';
import { startStorage } from '../storage/start-storage';
import { freshDatabase, joinLedger, mustBeOk, openLedgerTab, readOrder, takeWriterPlace } from './setup';

test(
  'a database whose files are held is STORAGE_BUSY and names its lock and the tabs that may hold it; freed, it opens',
  { timeout: 120_000 },
  async () => {
    const db = freshDatabase();
    const before = await joinLedger(db);
    mustBeOk(await before.call('mutate', 'append', 'kept', 0));
    const place = takeWriterPlace(db);
    await before.close();
    await place.granted;
    const intruder = startStorage();
    await intruder.run('open', { name: db });
    place.release();
    const tab = await openLedgerTab();
    expect(await tab.call('join', db, { startTimeoutMs: 60_000 })).toMatchObject({
      ok: false,
      code: 'STORAGE_BUSY',
      details: { db, lock: lockNames.writer(db), holders: expect.any(Array) },
    });
    intruder.terminate();
    mustBeOk(await tab.call('join', db));
    expect(await readOrder(tab)).toBe('kept0');
  },
);
