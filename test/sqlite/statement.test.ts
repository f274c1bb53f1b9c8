import { describe, expect, test } from 'vitest';
import type { SqlValue } from '../../worker/database';
import { setup } from './setup';

describe('values', () => {
  test.each<[string, SqlValue, string]>([
    ['an empty text', '', 'text'],
    ['a short text', 'tide', 'text'],
    ['a text beyond ASCII', 'Ebbe und Flöhe 🌊', 'text'],
    ['a text with a zero in it', 'a\0b', 'text'],
    ['a long text', 'ä🌊x'.repeat(5_000), 'text'],
    ['a text just over the stack’s room', 'x'.repeat(342), 'text'],
    ['zero', 0, 'integer'],
    ['a negative integer', -1, 'integer'],
    ['the largest 32-bit integer', 2 ** 31 - 1, 'integer'],
    ['an integer past 32 bits', 2 ** 31, 'integer'],
    ['a time in milliseconds', 1_790_000_000_000, 'integer'],
    ['the largest safe integer', Number.MAX_SAFE_INTEGER, 'integer'],
    ['an integer past 2^53', 2n ** 53n + 1n, 'integer'],
    ['the smallest 64-bit integer', -(2n ** 63n), 'integer'],
    ['a fraction', 0.1, 'real'],
    ['infinity', Infinity, 'real'],
    ['null', null, 'null'],
    ['no bytes', new Uint8Array(), 'blob'],
    ['bytes', new Uint8Array([0, 1, 255]), 'blob'],
    ['many bytes', new Uint8Array(100_000).fill(7), 'blob'],
  ])('%s comes back as it went in, with its type', async (_name, value, type) => {
    const { database } = await setup();
    const row = database.prepare('SELECT ?1 AS value, typeof(?1) AS type').get([value]);
    expect(row).toEqual({ value, type });
  });

  test('a bigint that fits comes back as a number', async () => {
    const { database } = await setup();
    expect(database.prepare('SELECT ? AS value').get([5n])).toEqual({ value: 5 });
  });

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['NaN', NaN],
    ['a boolean', true],
    ['a date', new Date(0)],
    ['an object', {}],
    ['a bigint past 64 bits', 2n ** 63n],
  ])('%s is refused', async (_name, value) => {
    const { database } = await setup();
    // The types forbid it; a handler in JavaScript may still try.
    const params = [value] as unknown as SqlValue[];
    expect(() => database.prepare('SELECT ?').get(params)).toThrow(/^parameter 1 is /);
  });

  test('bytes handed out are a copy', async () => {
    const { database } = await setup();
    const select = database.prepare('SELECT ? AS bytes');
    const first = select.get([new Uint8Array([1, 2, 3])]);
    select.get([new Uint8Array([9, 9, 9])]);
    expect(first).toEqual({ bytes: new Uint8Array([1, 2, 3]) });
  });
});

describe('a statement', () => {
  test('wants exactly its parameters', async () => {
    const { database } = await setup();
    const select = database.prepare('SELECT ?, ?');
    expect(() => select.get(['one'])).toThrow('1 parameters given, 2 wanted');
    expect(() => select.get(['one', 'two', 'three'])).toThrow('3 parameters given, 2 wanted');
  });

  test('counts the rows it changed itself', async () => {
    const { database } = await setup();
    database.exec(
      `CREATE TRIGGER note AFTER INSERT ON tasks BEGIN INSERT INTO logs (text) VALUES ('a'), ('b'); END;`,
    );
    const insert = database.prepare(`INSERT INTO tasks (title) VALUES (?), (?)`);
    expect(insert.run(['a', 'b']).changes).toBe(2);
    expect(database.prepare(`UPDATE tasks SET done = 1 WHERE title = 'none'`).run().changes).toBe(0);
    expect(insert.run(['c', 'd']).changes).toBe(2);
    expect(database.prepare('CREATE TABLE more (id INTEGER)').run().changes).toBe(0);
    expect(database.prepare('SELECT 1').run().changes).toBe(0);
    expect(database.prepare('DELETE FROM tasks').run().changes).toBe(4);
  });

  test('leaves nothing open after an error in the middle of its rows', async () => {
    const { database } = await setup();
    database.exec(`INSERT INTO tasks (title) VALUES ('a'), ('b')`);
    const select = database.prepare(
      `SELECT abs(CASE id WHEN 2 THEN -9223372036854775808 ELSE id END) AS x FROM tasks`,
    );
    expect(() => select.all()).toThrow(/integer overflow/);
    expect(select.get()).toEqual({ x: 1 });
    database.exec('DROP TABLE tasks');
  });

  test('is one statement: SQL after it is refused, comments are not', async () => {
    const { database } = await setup();
    expect(() => database.prepare('SELECT 1; DELETE FROM tasks')).toThrow(
      /one statement wanted.*DELETE FROM tasks/,
    );
    expect(database.prepare('SELECT 1 AS one; -- and no more\n /* really */ ;').get()).toEqual({ one: 1 });
  });

  test('says that its database is closed instead of touching freed memory', async () => {
    const { database } = await setup();
    const select = database.prepare('SELECT 1');
    database.close();
    database.close();
    expect(() => select.get()).toThrow('the database is closed');
    expect(database.isInTransaction).toBe(false);
  });

  test('keeps the extended result code and message of SQLite’s errors', async () => {
    const { database } = await setup();
    const insert = database.prepare(`INSERT INTO tasks (title) VALUES ('same')`);
    insert.run();
    expect(() => insert.run()).toThrow(
      expect.objectContaining({ resultCode: 2067, message: expect.stringContaining('tasks.title') }),
    );
  });
});
