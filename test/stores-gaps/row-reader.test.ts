import { describe, expect, test } from 'vitest';
import { toCanonicalJson } from '../../src/domain/canonical-json';
import type { Row } from '../../worker/database';
import {
  readInteger,
  readJson,
  readJsonOrNull,
  readOneOf,
  readOptionalOneOf,
  readOptionalText,
  readText,
  toJsonColumn,
} from '../../worker/stores/row-reader';

const ROW: Row = {
  text: 'a',
  none: null,
  number: 5,
  json: '{"a":1}',
  broken: '{',
  blob: new Uint8Array([1]),
};
const unreadable = (message: string): unknown =>
  expect.objectContaining({ name: 'UnreadableRowError', message });

describe('a column is read as what it is, or not at all', () => {
  test('text', () => {
    expect(readText(ROW, 'text')).toBe('a');
    for (const column of ['none', 'number', 'blob', 'missing']) {
      expect(() => readText(ROW, column)).toThrow(unreadable(`${column} is not text`));
    }
    expect(readOptionalText(ROW, 'none')).toBeNull();
    expect(() => readOptionalText(ROW, 'number')).toThrow(unreadable('number is not text'));
  });

  test('a safe integer', () => {
    expect(readInteger(ROW, 'number')).toBe(5);
    for (const value of ['5', null, 0.5, 2 ** 53]) {
      expect(() => readInteger({ n: value }, 'n')).toThrow(unreadable('n is not a safe integer'));
    }
  });

  test('one of a set', () => {
    expect(readOneOf(ROW, 'text', ['b', 'a'])).toBe('a');
    expect(() => readOneOf(ROW, 'text', ['b'])).toThrow(unreadable('text is not one of b'));
    expect(readOptionalOneOf(ROW, 'none', ['b'])).toBeNull();
    expect(() => readOptionalOneOf(ROW, 'text', ['b'])).toThrow(unreadable('text is not one of b'));
  });

  test('JSON', () => {
    expect(readJson(ROW, 'json')).toEqual({ a: 1 });
    expect(readJson(ROW, 'none')).toBeNull();
    expect(() => readJson(ROW, 'broken')).toThrow(unreadable('broken is not JSON'));
    expect(readJsonOrNull(ROW, 'json')).toEqual({ a: 1 });
    expect(readJsonOrNull(ROW, 'broken')).toBeNull();
    expect(readJsonOrNull(ROW, 'number')).toBeNull();
  });
});

test('JSON is written in its canonical form, and nothing as NULL', () => {
  expect(toJsonColumn({ b: 1, a: [] })).toBe('{"a":[],"b":1}');
  expect(toJsonColumn(null)).toBeNull();
  expect(toJsonColumn(undefined)).toBeNull();
  expect(() => toCanonicalJson(undefined as never)).toThrow('canonical JSON of undefined'); // a caller without types
});
