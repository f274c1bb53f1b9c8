import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ERROR_CODES, LIBRARY_CODES, ROW_CODES, STORE_CODES } from '../../src/domain/error-codes';
import { ERROR_CODES_PATH, PAGE_PATH } from './paths';
import { readCodeDocs } from './read-code-docs';
import { renderStateMachines } from './render-state-machines';

const source = readFileSync(ERROR_CODES_PATH, 'utf8');

describe('the page on state machines and codes', () => {
  test('is what the tables and comments say; `npm run docs` writes it anew', () => {
    expect(readFileSync(PAGE_PATH, 'utf8')).toBe(renderStateMachines(source));
  });

  test('names every code there is', () => {
    const page = readFileSync(PAGE_PATH, 'utf8');
    const codes = [...ERROR_CODES, ...Object.values(ROW_CODES)];
    expect(codes.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
  });

  test.each(Object.entries({ STORE_CODES, ROW_CODES, LIBRARY_CODES }))(
    'each code of %s says when it happens and what to do',
    (constant, codes) => {
      const docs = readCodeDocs(source, constant);
      expect([...docs.keys()]).toEqual(Object.keys(codes));
      expect([...docs].filter(([, { when, advice }]) => when === '' || advice === '')).toEqual([]);
    },
  );

  test('a code without a comment is refused', () => {
    const bare = 'export const SOME = {\n  /** Now. Do this. */\n  A: `A`,\n  B: `B`,\n} as const;';
    expect(() => readCodeDocs(bare, 'SOME')).toThrow('SOME.B has no comment');
  });
});
