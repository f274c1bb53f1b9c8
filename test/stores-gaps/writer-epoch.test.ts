import { expect, test } from 'vitest';
import { LIBRARY_CODES } from '../../src/domain/error-codes';
import { assertWriterEpoch, raiseWriterEpoch } from '../../worker/stores/writer-epoch';
import { START, openTestDatabase } from '../stores/support/store-setup';

const LATER = '2026-03-02T00:00:00.000Z';
const SELECT = 'SELECT id, epoch, raised_at FROM local_sync_writer';

test('each writer raises the epoch by one and says when', async () => {
  const database = await openTestDatabase();
  expect(raiseWriterEpoch(database, START)).toBe(1);
  expect(database.prepare(SELECT).all()).toEqual([{ id: 1, epoch: 1, raised_at: START }]);
  expect(raiseWriterEpoch(database, LATER)).toBe(2);
  expect(database.prepare(SELECT).all()).toEqual([{ id: 1, epoch: 2, raised_at: LATER }]);
});

test('only the last writer passes', async () => {
  const database = await openTestDatabase();
  const first = raiseWriterEpoch(database, START);
  expect(() => assertWriterEpoch(database, first)).not.toThrow();
  const second = raiseWriterEpoch(database, LATER);
  expect(() => assertWriterEpoch(database, second)).not.toThrow();
  expect(() => assertWriterEpoch(database, first)).toThrow(
    expect.objectContaining({ code: LIBRARY_CODES.OUTCOME_UNKNOWN, details: { expected: 1, actual: 2 } }),
  );
});

test('an epoch that is gone is a damaged database', async () => {
  const database = await openTestDatabase();
  raiseWriterEpoch(database, START);
  database.exec('DELETE FROM local_sync_writer');
  expect(() => assertWriterEpoch(database, 1)).toThrow(
    expect.objectContaining({ code: LIBRARY_CODES.STORAGE_CORRUPT }),
  );
});
