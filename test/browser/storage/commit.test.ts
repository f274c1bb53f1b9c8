import { describe, expect, test } from 'vitest';
import { NOTES, SELECT_NOTES, startStorage, startWithNotes } from './start-storage';

const insert = (text: string): string => `INSERT INTO notes (text) VALUES ('${text}')`;

describe('group commit on OPFS', () => {
  test('sixteen calls take one flush', async () => {
    const { worker } = await startWithNotes();
    await worker.run('runBatch', [insert('warm')]);
    const { isOk, flushes } = await worker.run(
      'runBatch',
      Array.from({ length: 16 }, (_, i) => insert(`n${i}`)),
    );
    expect(isOk).toEqual(Array.from({ length: 16 }, () => true));
    expect(flushes).toBe(1);
  });

  test('of a mixed batch the guilty fail alone, and the rest survives a killed worker', async () => {
    const { worker, name } = await startWithNotes();
    await worker.run(
      'exec',
      `CREATE TABLE children (note_id INTEGER REFERENCES notes DEFERRABLE INITIALLY DEFERRED);
       CREATE TABLE tidy (id INTEGER);
       CREATE TRIGGER no_tidy BEFORE INSERT ON tidy BEGIN SELECT RAISE(ROLLBACK, 'no'); END;`,
    );
    const { isOk, flushes } = await worker.run('runBatch', [
      insert('1'),
      insert('a'),
      insert('2'),
      `INSERT OR ROLLBACK INTO notes (text) VALUES ('a')`,
      insert('3'),
      'INSERT INTO children VALUES (99)',
      insert('4'),
      'INSERT INTO tidy VALUES (1)',
      insert('5'),
    ]);
    expect(isOk).toEqual([true, false, true, false, true, false, true, false, true]);
    // Everybody before a guilty one is run again alone; still one flush a commit.
    expect(flushes).toBe(5);
    worker.terminate();
    const next = startStorage();
    await next.run('open', { name });
    const kept = ['1', '2', '3', '4', '5'].map((text) => ({ text }));
    expect(await next.run('all', SELECT_NOTES)).toEqual([...NOTES, ...kept]);
  });

  test('a batch in which every call fails takes no flush', async () => {
    const { worker } = await startWithNotes();
    expect(await worker.run('runBatch', [insert('a'), insert('b')])).toEqual({
      isOk: [false, false],
      flushes: 0,
    });
  });
});

describe('a full disk', () => {
  test('is told from a broken one, and earlier commits stay', async () => {
    const { worker, name } = await startWithNotes();
    await worker.run('failWrites', 'QuotaExceededError', Infinity);
    await expect(worker.run('exec', insert('too much'))).rejects.toMatchObject({
      code: 'STORAGE_FULL',
      details: { fileError: 'QuotaExceededError' },
    });
    await worker.run('failWrites', 'InvalidStateError', Infinity);
    await expect(worker.run('exec', insert('broken'))).rejects.toMatchObject({
      code: 'STORAGE_IO',
      details: { fileError: 'InvalidStateError' },
    });
    await worker.run('failWrites', '', 0);
    await worker.run('exec', insert('fits'));
    worker.terminate();
    const next = startStorage();
    await next.run('open', { name });
    expect(await next.run('all', SELECT_NOTES)).toEqual([...NOTES, { text: 'fits' }]);
  });

  test('fails the calls of a batch, each with its own error, and the next batch works', async () => {
    const { worker } = await startWithNotes();
    await worker.run('failWrites', 'QuotaExceededError', Infinity);
    expect((await worker.run('runBatch', [insert('x'), insert('y')])).isOk).toEqual([false, false]);
    await worker.run('failWrites', '', 0);
    expect((await worker.run('runBatch', [insert('x'), insert('y')])).isOk).toEqual([true, true]);
  });

  test('a close that cannot move the WAL keeps what is in it', async () => {
    const { worker, name } = await startWithNotes();
    await worker.run('failWrites', 'QuotaExceededError', Infinity);
    await worker.run('close');
    const next = startStorage();
    await next.run('open', { name });
    expect(await next.run('all', SELECT_NOTES)).toEqual(NOTES);
  });
});

describe('migrations on OPFS', () => {
  test('a failing one of the application rolls back, and the previous build still opens', async () => {
    const { worker, name } = await startWithNotes();
    const tags = { id: 1, name: 'tags', sql: 'CREATE TABLE tags (id INTEGER PRIMARY KEY)' };
    const broken = {
      id: 2,
      name: 'broken',
      sql: `${insert('half')}; CREATE TABLE half (id INTEGER); SELECT nothing`,
    };
    await worker.run('migrateApp', [tags]);
    await expect(worker.run('migrateApp', [tags, broken])).rejects.toMatchObject({
      code: 'MIGRATION_FAILED',
      details: { migration: 'app/2-broken' },
    });
    worker.terminate();
    const previous = startStorage();
    await previous.run('open', { name });
    expect(await previous.run('migrateApp', [tags])).toEqual({ tidelock: 0, app: 0 });
    expect(await previous.run('all', SELECT_NOTES)).toEqual(NOTES);
    expect(await previous.run('all', `SELECT name FROM sqlite_schema WHERE name = 'half'`)).toEqual([]);
  });
});
