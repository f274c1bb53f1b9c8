import { describe, expect, test } from 'vitest';
import { checkPlainJson } from '../../src/protocol/plain-json';

class Point {
  readonly x = 1;
}

function nest(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = { inner: value };
  return value;
}

function cycle(): unknown {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}

describe('checkPlainJson', () => {
  test.each([
    ['text', 'tide'],
    ['emoji, a surrogate pair', '🌊'],
    ['an empty object', {}],
    ['null', null],
    ['nested arrays', [[1], [{ a: [true, null] }]]],
    ['an undefined property, which counts as absent', { a: undefined }],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 })],
    ['64 levels', nest(64)],
    ['the same object twice, which is no cycle', [{ a: 1 }, { a: 1 }]],
  ])('accepts %s', (_title, value) => {
    expect(checkPlainJson(value).fault).toBeNull();
  });

  test.each<[string, unknown, string]>([
    ['a function', { list: [1, () => 1] }, 'list[1]'],
    ['a symbol', Symbol('s'), ''],
    ['NaN', { a: { b: NaN } }, 'a.b'],
    ['an infinity', [Infinity], '[0]'],
    ['a bigint', { n: 1n }, 'n'],
    ['undefined in an array', [undefined], '[0]'],
    ['undefined itself', undefined, ''],
    ['a Date', { at: new Date(0) }, 'at'],
    ['a Map', new Map(), ''],
    ['an instance of a class', { p: new Point() }, 'p'],
    ['bytes', { b: new Uint8Array(1) }, 'b'],
    ['a lone surrogate in text', { t: 'a\ud800' }, 't'],
    ['a lone surrogate in a key', { '\udc00': 1 }, '\udc00'],
    ['a __proto__ key', JSON.parse('{"a":{"__proto__":{"admin":true}}}'), 'a.__proto__'],
    ['a cycle', cycle(), 'self'],
  ])('refuses %s and says where', (_title, value, path) => {
    const { fault, sizeBytes } = checkPlainJson(value);
    expect(fault).not.toBeNull();
    expect(fault?.path).toBe(path);
    expect(sizeBytes).toBe(0);
  });

  test('refuses the 65th level', () => {
    expect(checkPlainJson(nest(65)).fault?.problem).toContain('64 levels');
  });

  test('row values pass where they are allowed', () => {
    expect(
      checkPlainJson([{ blob: new Uint8Array(3), big: 2n ** 60n }], { allowRowValues: true }).fault,
    ).toBeNull();
  });

  test('the size of ASCII data is near the length of its JSON text', () => {
    const value = { title: 'x'.repeat(10_000), items: Array.from({ length: 100 }, (_, id) => ({ id })) };
    const { sizeBytes } = checkPlainJson(value);
    const actual = JSON.stringify(value).length;
    expect(sizeBytes).toBeGreaterThan(actual * 0.8);
    expect(sizeBytes).toBeLessThan(actual * 1.5);
  });
});
