/**
 * The browser may clear what an origin stores, whole or in part. A record outside the files says that there was a
 * database: its loss is told, and never passed off as a first run.
 */
import { describe, expect, test } from 'vitest';
import { ROOT_NAME, toDirectoryName } from '../../../worker/sqlite/opfs-names';
import { readSentinel, removeSentinel } from '../../../worker/sqlite/sentinel';
import {
  freshDatabase,
  joinLedger,
  mustBeOk,
  openLedgerTab,
  pause,
  readOrder,
  shouldFailWith,
  takeWriterPlace,
} from './setup';

async function openRoot(): Promise<FileSystemDirectoryHandle> {
  return (await navigator.storage.getDirectory()).getDirectoryHandle(ROOT_NAME);
}

/** Deletes the files of a database, as an eviction does; waits for a worker that just died to let go of them. */
async function wipeFiles(db: string): Promise<void> {
  const root = await openRoot();
  for (let attempt = 0; ; attempt++) {
    try {
      return await root.removeEntry(toDirectoryName(db), { recursive: true });
    } catch (error) {
      if (attempt === 100) throw error;
      await pause(20);
    }
  }
}

/** Bytes in the files of a database behind the headers that the pool gives each; 0 where there is no database. */
async function countBytes(db: string): Promise<number> {
  const HEADER_BYTES = 4096;
  const root = await openRoot();
  const pool = await root.getDirectoryHandle(toDirectoryName(db)).catch(() => undefined);
  const files = await pool?.getDirectoryHandle('.opaque').catch(() => undefined);
  let bytes = 0;
  for await (const file of files?.values() ?? []) {
    if (file instanceof FileSystemFileHandle)
      bytes += Math.max(0, (await file.getFile()).size - HEADER_BYTES);
  }
  return bytes;
}

/** A database with one entry in it, whose files are gone; its id. */
async function loseDatabase(db: string): Promise<string> {
  const tab = await joinLedger(db);
  mustBeOk(await tab.call('mutate', 'append', 'lost', 0));
  await tab.close();
  expect(await countBytes(db)).toBeGreaterThan(0);
  await wipeFiles(db);
  const databaseId = await readSentinel(db);
  if (databaseId === null) throw new Error('no sentinel was written');
  return databaseId;
}

describe('a first run', () => {
  test('begins empty, and is noted outside the files', async () => {
    const db = freshDatabase();
    expect(await readSentinel(db)).toBeNull();
    const tab = await joinLedger(db);
    expect(mustBeOk(await tab.call('query', 'count'))).toBe(0);
    const { writer } = await tab.call('readStatus');
    expect(writer?.databaseId).toBe(await readSentinel(db));
  });
});

describe('a database whose files are gone', () => {
  test('is STORAGE_LOST for every tab, every time, and nothing is made in its place', async () => {
    const db = freshDatabase();
    const databaseId = await loseDatabase(db);
    const tabs = [await openLedgerTab(), await openLedgerTab()];
    for (const tab of [...tabs, ...tabs]) {
      const outcome = await tab.call('join', db);
      shouldFailWith(outcome, 'STORAGE_LOST');
      expect(outcome).toMatchObject({
        message: expect.stringMatching(/acceptLossOf/),
        details: { databaseId },
      });
      expect(await countBytes(db)).toBe(0);
      expect(await readSentinel(db)).toBe(databaseId);
    }
    for (const tab of tabs) expect(await tab.call('readUnhandled')).toEqual([]);
  });

  test('can be started anew by naming it, which is good for that one loss', async () => {
    const db = freshDatabase();
    const databaseId = await loseDatabase(db);
    const tab = await openLedgerTab();
    shouldFailWith(await tab.call('join', db, { acceptLossOf: 'another' }), 'STORAGE_LOST');
    const { writer } = mustBeOk(await tab.call('join', db, { acceptLossOf: databaseId }));
    expect(writer?.databaseId).not.toBe(databaseId);
    expect(await readSentinel(db)).toBe(writer?.databaseId);
    expect(mustBeOk(await tab.call('query', 'count'))).toBe(0);
    mustBeOk(await tab.call('mutate', 'append', 'new', 0));
    // Whoever comes later needs to accept nothing, and who still does loses nothing by it.
    expect(await readOrder(await joinLedger(db))).toBe('new0');
    expect(await readOrder(await joinLedger(db, { acceptLossOf: databaseId }))).toBe('new0');
  });

  test('and lost again after that is told again', async () => {
    const db = freshDatabase();
    const databaseId = await loseDatabase(db);
    const tab = await joinLedger(db, { acceptLossOf: databaseId });
    mustBeOk(await tab.call('mutate', 'append', 'new', 0));
    await tab.close();
    await wipeFiles(db);
    const again = await openLedgerTab();
    const outcome = await again.call('join', db, { acceptLossOf: databaseId });
    shouldFailWith(outcome, 'STORAGE_LOST');
    expect(outcome).not.toMatchObject({ details: { databaseId } });
  });

  test('accepted by two tabs at once is started anew once', async () => {
    const db = freshDatabase();
    const databaseId = await loseDatabase(db);
    const tabs = [await openLedgerTab(), await openLedgerTab()];
    const joined = await Promise.all(tabs.map((tab) => tab.call('join', db, { acceptLossOf: databaseId })));
    const ids = joined.map((outcome) => mustBeOk(outcome).writer?.databaseId);
    expect(new Set(ids)).toEqual(new Set([await readSentinel(db)]));
    for (const [n, tab] of tabs.entries()) mustBeOk(await tab.call('mutate', 'append', 'new', n));
    expect(mustBeOk(await tabs[0]?.call('query', 'count'))).toBe(2);
  });
});

describe('a tab that lives through the loss', () => {
  test('is told what is wrong; its calls end as STORAGE_LOST once another is started, and the same client goes on', async () => {
    const db = freshDatabase();
    const writer = await joinLedger(db);
    mustBeOk(await writer.call('mutate', 'append', 'lost', 0));
    // Next in line for the writer's place is the test, then the survivor.
    const place = takeWriterPlace(db);
    const survivor = await joinLedger(db);
    const before = await survivor.call('readStatus');
    await writer.crash();
    await place.granted;
    const asked = survivor.call('mutate', 'append', 'asked meanwhile', 0);
    await wipeFiles(db);
    place.release();
    await survivor.call('waitForStage', 'failed');
    expect((await survivor.call('readStatus')).workerError).toMatch(/its files are gone/);
    const databaseId = (await readSentinel(db)) ?? '';
    const next = await joinLedger(db, { acceptLossOf: databaseId, workspaceId: null });
    const outcome = await asked;
    shouldFailWith(outcome, 'STORAGE_LOST');
    expect(outcome).toMatchObject({ details: { outcome: 'unknown', call: 'app.mutate' } });
    // The epochs of the other database begin at 1: it is not taken for an older writer.
    await expect.poll(async () => (await survivor.call('readStatus')).connection).toBe('connected');
    const after = await survivor.call('readStatus');
    expect(after.writer?.databaseId).not.toBe(before.writer?.databaseId);
    expect(after.writer).toEqual((await next.call('readStatus')).writer);
    expect(after).toMatchObject({ workspaceId: null, localDataVersion: 0 });
    shouldFailWith(await survivor.call('mutate', 'append', 'too early', 0), 'WORKSPACE_NONE');
    mustBeOk(await survivor.call('openWorkspace', 'w-1'));
    mustBeOk(await survivor.call('mutate', 'append', 'new', 0));
    expect(await readOrder(next)).toBe('new0');
    expect((await survivor.call('readStatus')).localDataVersion).toBeGreaterThan(0);
    // Its worker had given up; now it stands in line again.
    await survivor.call('waitForStage', 'waiting');
    expect((await survivor.call('readStatus')).workerError).toBeNull();
    await next.crash();
    await survivor.call('waitForRole', 'writer');
    expect(await readOrder(survivor)).toBe('new0');
  });
});

describe('a database whose note outside the files is gone', () => {
  test('opens with its data, and is noted again', async () => {
    const db = freshDatabase();
    const before = await joinLedger(db);
    mustBeOk(await before.call('mutate', 'append', 'kept', 0));
    const databaseId = await readSentinel(db);
    await before.close();
    await removeSentinel(db);
    const tab = await joinLedger(db);
    expect(await readOrder(tab)).toBe('kept0');
    expect(await readSentinel(db)).toBe(databaseId);
    await tab.close();
    await wipeFiles(db);
    shouldFailWith(await (await openLedgerTab()).call('join', db), 'STORAGE_LOST');
  });
});
