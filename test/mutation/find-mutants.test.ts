import { describe, expect, test } from 'vitest';
import { parseTypeScript } from './ast';
import { findMutants } from './find-mutants';
import { applyMutant } from './mutant';
import { readSources } from './sources';
import { findSqlEdits } from './sql-mutators';

/** The texts that mutants make of one. */
function mutate(text: string): readonly string[] {
  return findMutants({ path: 'x.ts', text }).map((mutant) => applyMutant(text, mutant));
}

function mutateSql(text: string): readonly string[] {
  return findSqlEdits(text, 0).map(
    ({ start, end, replacement }) => text.slice(0, start) + replacement + text.slice(end),
  );
}

describe('mutants of code', () => {
  test.each([
    ['if (a) b();', ['if (true) b();', 'if (false) b();', 'if (a) ;']],
    ['const x = a < b;', ['const x = a <= b;']],
    ['const x = a === b;', ['const x = a !== b;']],
    ['const x = a ?? b;', ['const x = a;']],
    ['const x = a && b && c;', ['b && c', 'a && c', 'a && b', '(a && b) || c'].map((y) => `const x = ${y};`)],
    ['const x = !a;', ['const x = a;']],
    [
      "const x = ['a', 'b'];",
      ["['mutated', 'b']", "[ 'b']", "['a', 'mutated']", "['a', ]"].map((y) => `const x = ${y};`),
    ],
    ['const x = CODES.A;', []],
    ['const x = STORE_CODES.A;', ['const x = STORE_CODES.LIMIT_INVALID;']],
  ])('%s', (text, wanted) => {
    expect(new Set(mutate(text))).toEqual(new Set(wanted));
  });

  test('neither types nor what an error tells people are changed', () => {
    expect(mutate(`const x: 'a' | 'b' = y as 'a';`)).toEqual([]);
    const refusal = `refuse(STORE_CODES.A, 'Not so.', { expected: a ?? 'b' });`;
    expect(mutate(refusal)).toEqual([';', refusal.replace('.A', '.LIMIT_INVALID')]);
  });

  test('two equal changes on equal lines have keys of their own', () => {
    const keys = findMutants({ path: 'x.ts', text: 'f(1);\nf(1);' }).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe('mutants of SQL', () => {
  test.each([
    [
      'SELECT a FROM t WHERE b = ? AND c < 1',
      ['(b = ? OR 1) AND c < 1', 'b = ? AND (c < 1 OR 1)', 'b = ? AND c <= 1'].map(
        (y) => `SELECT a FROM t WHERE ${y}`,
      ),
    ],
    [
      'SELECT a FROM t ORDER BY a, b DESC',
      ['SELECT a FROM t ORDER BY a DESC, b DESC', 'SELECT a FROM t ORDER BY a, b ASC'],
    ],
    ['SELECT a FROM t WHERE b = ? ${OLDEST_FIRST}', ['SELECT a FROM t WHERE (b = ? OR 1) ${OLDEST_FIRST}']],
    ["INSERT INTO t VALUES ('a', 'b')", []],
    [
      'UPDATE t SET a = ?, b = NULL',
      ['UPDATE t SET a = iif(1, a, ?), b = NULL', 'UPDATE t SET a = ?, b = b'],
    ],
  ])('%s', (text, wanted) => {
    expect(new Set(mutateSql(text))).toEqual(new Set(wanted));
  });

  test('keep the number of parameters', () => {
    const count = (text: string): number => text.split('?').length;
    for (const { path, text } of readSources()) {
      const changed = findMutants({ path, text }).filter(({ mutator }) => mutator.startsWith('sql'));
      for (const mutant of changed) expect(count(applyMutant(text, mutant)), mutant.key).toBe(count(text));
    }
  });
});

test('the mutants of the stores have keys of their own, and can be parsed', () => {
  const mutants = readSources().flatMap((source) =>
    findMutants(source).map((mutant) => ({ ...mutant, mutated: applyMutant(source.text, mutant) })),
  );
  expect(mutants.length).toBeGreaterThan(2_000);
  expect(new Set(mutants.map(({ key }) => key)).size).toBe(mutants.length);
  // Parsing all of them takes seconds.
  const some = mutants.filter((_mutant, index) => index % 20 === 0);
  for (const { path, mutated, key } of some) expect(() => parseTypeScript(path, mutated), key).not.toThrow();
});
