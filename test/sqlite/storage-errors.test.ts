import { afterEach, describe, expect, test, vi } from 'vitest';
import { TidelockError } from '../../src/domain/tidelock-error';
import { rememberFileError } from '../../worker/sqlite/file-error';
import { classifyFull, toStorageError } from '../../worker/sqlite/storage-errors';

const sqliteError = (resultCode: number): Error => Object.assign(new Error('from SQLite'), { resultCode });

describe('what SQLite threw', () => {
  test.each([
    [13, 'STORAGE_FULL'],
    [11, 'STORAGE_CORRUPT'],
    [267, 'STORAGE_CORRUPT'],
    [26, 'STORAGE_CORRUPT'],
    [5, 'STORAGE_BUSY'],
    [262, 'STORAGE_BUSY'],
    [10, 'STORAGE_IO'],
    [778, 'STORAGE_IO'],
    [14, 'STORAGE_IO'],
    [8, 'STORAGE_IO'],
  ])('result code %i becomes %s, with the cause', (resultCode, code) => {
    const cause = sqliteError(resultCode);
    expect(toStorageError(cause)).toMatchObject({ code, details: { resultCode }, cause });
  });

  test.each([1, 19, 787, 2067, 23])(
    'result code %i is the statement’s own and stays as it is',
    (resultCode) => {
      const error = sqliteError(resultCode);
      expect(toStorageError(error)).toBe(error);
    },
  );

  test('an error from elsewhere stays as it is', () => {
    const typed = new TidelockError('INVALID_INPUT', 'no');
    for (const error of [new Error('no'), typed, null, 'text']) expect(toStorageError(error)).toBe(error);
  });

  test('an I/O error whose file ran out of quota is a full storage, once', () => {
    rememberFileError('pool:', new DOMException('too much', 'QuotaExceededError'));
    expect(toStorageError(sqliteError(778))).toMatchObject({
      code: 'STORAGE_FULL',
      details: { resultCode: 778, fileError: 'QuotaExceededError' },
    });
    expect(toStorageError(sqliteError(778))).toMatchObject({
      code: 'STORAGE_IO',
      details: { resultCode: 778 },
    });
  });
});

describe('a second look at an I/O error', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });
  const stubEstimate = (estimate: () => Promise<{ quota?: number; usage?: number }>): void => {
    vi.stubGlobal('navigator', { storage: { estimate } });
  };
  const broken = toStorageError(sqliteError(10));

  test('finds a full storage where next to nothing of the quota is left', async () => {
    stubEstimate(() => Promise.resolve({ quota: 100_000_000, usage: 99_000_000 }));
    expect(await classifyFull(broken)).toMatchObject({
      code: 'STORAGE_FULL',
      details: { resultCode: 10, estimate: { quotaBytes: 100_000_000, usageBytes: 99_000_000 } },
    });
  });

  test('leaves it where there is room, or nobody knows', async () => {
    stubEstimate(() => Promise.resolve({ quota: 100_000_000, usage: 1_000 }));
    expect(await classifyFull(broken)).toBe(broken);
    stubEstimate(() => Promise.resolve({}));
    expect(await classifyFull(broken)).toBe(broken);
    stubEstimate(() => Promise.reject(new TypeError('opaque origin')));
    expect(await classifyFull(broken)).toBe(broken);
    vi.unstubAllGlobals();
    expect(await classifyFull(broken)).toBe(broken);
  });

  test('leaves every other error alone', async () => {
    stubEstimate(() => Promise.resolve({ quota: 0, usage: 0 }));
    const corrupt = toStorageError(sqliteError(11));
    expect(await classifyFull(corrupt)).toBe(corrupt);
  });
});
