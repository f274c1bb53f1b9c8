import { describe, expect, test } from 'vitest';
import { NOTES, SELECT_NOTES, freshName, startStorage, startWithNotes } from './start-storage';

describe('opening', () => {
  test('a database in OPFS says where it stands and who it is', async () => {
    const name = freshName();
    const worker = startStorage();
    const first = await worker.run('open', { name });
    expect(first).toEqual({
      databaseId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      storage: 'opfs',
      stages: ['loading-wasm', 'acquiring-files', 'opening'],
    });
    await worker.run('close');
    const second = await startStorage().run('open', { name });
    expect(second.databaseId).toBe(first.databaseId);
    expect(second.stages).not.toContain('writing-sentinel');
  });

  test('the pragmas are in force, at the first opening and after', async () => {
    const { worker, name } = await startWithNotes();
    const read = async (pragma: string, from = worker): Promise<unknown> =>
      Object.values((await from.run('all', `PRAGMA ${pragma}`))[0] ?? {})[0];
    const expected = {
      locking_mode: 'exclusive',
      journal_mode: 'wal',
      synchronous: 2,
      foreign_keys: 1,
      trusted_schema: 0,
      wal_autocheckpoint: 512,
      journal_size_limit: 8 * 1024 * 1024,
    };
    for (const [pragma, value] of Object.entries(expected)) expect(await read(pragma), pragma).toBe(value);
    worker.terminate();
    const next = startStorage();
    await next.run('open', { name });
    for (const [pragma, value] of Object.entries(expected))
      expect(await read(pragma, next), pragma).toBe(value);
  });

  test('after worker.terminate() the committed rows are there', async () => {
    const { worker, name, databaseId } = await startWithNotes();
    worker.terminate();
    const next = startStorage();
    expect((await next.run('open', { name })).databaseId).toBe(databaseId);
    expect(await next.run('all', SELECT_NOTES)).toEqual(NOTES);
  });

  test('a worker killed in the middle of a transaction leaves none of it', async () => {
    const { worker, name } = await startWithNotes();
    await worker.run('exec', `BEGIN; INSERT INTO notes (text) VALUES ('uncommitted')`);
    worker.terminate();
    const next = startStorage();
    await next.run('open', { name });
    expect(await next.run('all', SELECT_NOTES)).toEqual(NOTES);
    expect(await next.run('all', 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  });

  test('close frees the files while the worker lives on, and the same worker can open them again', async () => {
    const { worker, name } = await startWithNotes();
    await worker.run('close');
    const next = startStorage();
    await next.run('open', { name });
    expect(await next.run('all', SELECT_NOTES)).toEqual(NOTES);
    await next.run('close');
    await next.run('close');
    await worker.run('open', { name });
    expect(await worker.run('all', SELECT_NOTES)).toEqual(NOTES);
  });

  test('a database keeps to itself, whatever its name', async () => {
    const names = ['../../x', 'a/b', 'a%2Fb', 'Ä 🌊'].map((odd) => `${freshName()} ${odd}`);
    for (const name of names) {
      const worker = startStorage();
      await worker.run('open', { name });
      await worker.run('exec', `CREATE TABLE own (name TEXT); INSERT INTO own VALUES ('${name}')`);
      await worker.run('close');
    }
    const worker = startStorage();
    await worker.run('open', { name: names[1] ?? '' });
    expect(await worker.run('all', 'SELECT name FROM own')).toEqual([{ name: names[1] }]);
  });
});

describe('files that cannot be opened', () => {
  test('one InvalidStateError at the start costs nothing', async () => {
    const { worker, name } = await startWithNotes();
    worker.terminate();
    const next = startStorage();
    await next.run('failHandles', 'InvalidStateError', 1);
    await next.run('open', { name });
    expect(await next.run('all', SELECT_NOTES)).toEqual(NOTES);
  });

  test('the same error destroys the database of whoever installs the pool with its defaults', async () => {
    const { worker, name } = await startWithNotes();
    worker.terminate();
    const careless = startStorage();
    await careless.run('failHandles', 'InvalidStateError', 1);
    await expect(careless.run('installCarelessly', name)).rejects.toThrow('InvalidStateError');
    careless.terminate();
    await expect(startStorage().run('open', { name })).rejects.toMatchObject({ code: 'STORAGE_LOST' });
  });

  test.each([
    ['InvalidStateError', 'STORAGE_IO', { name: 'InvalidStateError', retryInFreshWorker: true }],
    [
      'NoModificationAllowedError',
      'STORAGE_BUSY',
      { name: 'NoModificationAllowedError', retryInFreshWorker: true },
    ],
    ['SecurityError', 'STORAGE_BLOCKED', { name: 'SecurityError' }],
    ['UnknownError', 'STORAGE_BLOCKED', { name: 'UnknownError' }],
    ['QuotaExceededError', 'STORAGE_FULL', { name: 'QuotaExceededError' }],
    ['NotFoundError', 'STORAGE_IO', { name: 'NotFoundError', retryInFreshWorker: true }],
  ])('a lasting %s ends as %s, and a fresh worker finds everything', async (error, code, details) => {
    const { worker, name } = await startWithNotes();
    worker.terminate();
    const unlucky = startStorage();
    await unlucky.run('failHandles', error, Infinity);
    await expect(unlucky.run('open', { name })).rejects.toMatchObject({ code, details });
    // The unlucky worker still lives, and holds nothing.
    const next = startStorage();
    await next.run('open', { name });
    expect(await next.run('all', SELECT_NOTES)).toEqual(NOTES);
  });

  test('the same worker can succeed after it gave up', async () => {
    const { worker, name } = await startWithNotes();
    worker.terminate();
    const unlucky = startStorage();
    await unlucky.run('failHandles', 'SecurityError', 1);
    await expect(unlucky.run('open', { name })).rejects.toMatchObject({ code: 'STORAGE_BLOCKED' });
    await unlucky.run('open', { name });
    expect(await unlucky.run('all', SELECT_NOTES)).toEqual(NOTES);
  });

  test('a damaged file is told from a missing one, and left as it is', async () => {
    const { worker, name } = await startWithNotes();
    await worker.run('close');
    await worker.run('damageFiles', name);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await expect(worker.run('open', { name })).rejects.toMatchObject({ code: 'STORAGE_CORRUPT' });
    }
  });

  test('two workers on the same files without the lock: the second is told, the first feels nothing', async () => {
    const { worker, name } = await startWithNotes();
    const intruder = startStorage();
    await expect(intruder.run('open', { name })).rejects.toMatchObject({
      code: 'STORAGE_BUSY',
      details: { retryInFreshWorker: true },
    });
    await worker.run('exec', `INSERT INTO notes (text) VALUES ('d')`);
    expect(await worker.run('all', SELECT_NOTES)).toEqual([...NOTES, { text: 'd' }]);
    await worker.run('close');
    await intruder.run('open', { name });
    expect(await intruder.run('all', SELECT_NOTES)).toEqual([...NOTES, { text: 'd' }]);
  });

  test('a second opening in the same worker is told', async () => {
    const { worker, name } = await startWithNotes();
    await expect(worker.run('open', { name })).rejects.toMatchObject({ code: 'STORAGE_BUSY' });
    expect(await worker.run('all', SELECT_NOTES)).toEqual(NOTES);
  });
});

describe('the sentinel', () => {
  test('with the files wiped, opening ends in STORAGE_LOST and never starts empty', async () => {
    const { worker, name, databaseId } = await startWithNotes();
    worker.terminate();
    const next = startStorage();
    await next.run('wipeFiles', name);
    for (const acceptLossOf of [null, null, 'another']) {
      await expect(next.run('open', { name, acceptLossOf })).rejects.toMatchObject({
        code: 'STORAGE_LOST',
        details: { name, databaseId },
      });
    }
  });

  test('starting anew on purpose makes another database, which is then the one expected', async () => {
    const { worker, name, databaseId } = await startWithNotes();
    worker.terminate();
    const next = startStorage();
    await next.run('wipeFiles', name);
    const anew = await next.run('open', { name, acceptLossOf: databaseId });
    expect(anew.databaseId).not.toBe(databaseId);
    expect(await next.run('readSentinel', name)).toBe(anew.databaseId);
    await next.run('close');
    expect((await startStorage().run('open', { name })).databaseId).toBe(anew.databaseId);
  });

  test('permission to start anew leaves a database that is there alone', async () => {
    const { worker, name, databaseId } = await startWithNotes();
    worker.terminate();
    const next = startStorage();
    await next.run('open', { name, acceptLossOf: databaseId });
    expect(await next.run('all', SELECT_NOTES)).toEqual(NOTES);
  });

  test('lost alone, it is written again', async () => {
    const { worker, name, databaseId } = await startWithNotes();
    await worker.run('close');
    await worker.run('removeSentinel', name);
    await startStorage().run('open', { name });
    expect(await worker.run('readSentinel', name)).toBe(databaseId);
  });

  test('a destroyed database starts empty without complaint', async () => {
    const { worker, name, databaseId } = await startWithNotes();
    await expect(worker.run('destroy', name)).rejects.toMatchObject({ code: 'STORAGE_BUSY' });
    await worker.run('close');
    await worker.run('destroy', name);
    await worker.run('destroy', name);
    expect(await worker.run('readSentinel', name)).toBeNull();
    const anew = await worker.run('open', { name });
    expect(anew.databaseId).not.toBe(databaseId);
    await expect(worker.run('all', SELECT_NOTES)).rejects.toThrow('no such table');
  });

  test('a database that another worker has open cannot be destroyed', async () => {
    const { worker, name, databaseId } = await startWithNotes();
    await expect(startStorage().run('destroy', name)).rejects.toMatchObject({ code: 'STORAGE_BUSY' });
    expect(await worker.run('all', SELECT_NOTES)).toEqual(NOTES);
    worker.terminate();
    expect((await startStorage().run('open', { name })).databaseId).toBe(databaseId);
  });
});
