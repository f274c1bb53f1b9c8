import type { Edit } from './mutant';

/**
 * Changes of SQL text that leave the number of its parameters as it was, so that a mutant is judged by what it finds or
 * writes and not by a binding that fails. `${…}` inside a template is a word like any other.
 */

const IS_SQL = /\b(SELECT|UPDATE|INSERT|DELETE|FROM|WHERE|AND|ORDER BY|IN \(|coalesce)\b/;
const WORD = /\$\{[^}]*\}|'[^']*'|<=|>=|<>|\|\||[()<>=,;]|[\w.?]+/g;
/** What ends a condition, when no parenthesis is open within it. */
const STOPS: ReadonlySet<string> = new Set([
  'AND',
  'OR',
  'ORDER',
  'GROUP',
  'LIMIT',
  'RETURNING',
  'UNION',
  'JOIN',
  'LEFT',
  'ON',
  'WHERE',
]);
/** A constant that holds an ORDER BY, by its name. */
const IS_ORDER = /^\$\{\w*(ORDER|FIRST)\}$/;
const FLIPPED: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '<>': '=',
};

interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export function looksLikeSql(text: string): boolean {
  return IS_SQL.test(text);
}

/** The edits of a text that stands at `offset` in its source. */
export function findSqlEdits(text: string, offset: number): readonly Edit[] {
  const tokens = [...text.matchAll(WORD)].map((match): Token => ({
    text: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }));
  const found = [
    ...conditions(text, tokens),
    ...comparisons(tokens),
    ...orderings(tokens),
    ...assignments(text, tokens),
    ...others(text, tokens),
  ];
  return found.map((edit) => ({ ...edit, start: edit.start + offset, end: edit.end + offset }));
}

/** Each condition of a WHERE, an ON or an AND, made always true. */
function* conditions(text: string, tokens: readonly Token[]): Generator<Edit> {
  for (const [index, token] of tokens.entries()) {
    if (!['WHERE', 'AND', 'ON', 'OR'].includes(token.text)) continue;
    const first = tokens[index + 1];
    const last = findConditionEnd(tokens, index + 1);
    if (first === undefined || last === undefined || first.text === 'CONFLICT') continue;
    const condition = text.slice(first.start, last.end);
    yield {
      mutator: 'sql: condition always true',
      start: first.start,
      end: last.end,
      replacement: `(${condition} OR 1)`,
    };
  }
}

function findConditionEnd(tokens: readonly Token[], from: number): Token | undefined {
  let depth = 0;
  let last: Token | undefined;
  for (const token of tokens.slice(from)) {
    if (token.text === '(') depth += 1;
    if (token.text === ')') depth -= 1;
    if (depth < 0 || (depth === 0 && (STOPS.has(token.text) || IS_ORDER.test(token.text)))) break;
    last = token;
  }
  return last;
}

function* comparisons(tokens: readonly Token[]): Generator<Edit> {
  for (const { text, start, end } of tokens) {
    const flipped = FLIPPED[text];
    if (flipped !== undefined) yield { mutator: 'sql: comparison', start, end, replacement: flipped };
  }
}

/** Each term of an ORDER BY, the other way round. */
function* orderings(tokens: readonly Token[]): Generator<Edit> {
  for (const [index, token] of tokens.entries()) {
    if (token.text !== 'BY' || tokens[index - 1]?.text !== 'ORDER') continue;
    let depth = 0;
    for (let at = index + 1; at < tokens.length; at++) {
      const word = tokens[at];
      const next = tokens[at + 1];
      if (word === undefined || STOPS.has(word.text)) break;
      if (word.text === '(') depth += 1;
      if (word.text === ')') depth -= 1;
      if (depth < 0) break;
      const ends = next === undefined || [',', ')', 'LIMIT', 'DESC'].includes(next.text);
      if (!ends || word.text === 'DESC' || word.text === ',') continue;
      yield next?.text === 'DESC'
        ? { mutator: 'sql: order', start: next.start, end: next.end, replacement: 'ASC' }
        : { mutator: 'sql: order', start: word.end, end: word.end, replacement: ' DESC' };
    }
  }
}

/** Each assignment of a SET, left undone. */
function* assignments(text: string, tokens: readonly Token[]): Generator<Edit> {
  for (const [index, token] of tokens.entries()) {
    const isTarget = token.text === 'SET' || (token.text === ',' && isInSet(tokens, index));
    const [column, equals, value] = [tokens[index + 1], tokens[index + 2], tokens[index + 3]];
    if (!isTarget || column === undefined || equals?.text !== '=' || value === undefined) continue;
    const written = text.slice(value.start, value.end);
    const replacement = written.startsWith('?') ? `iif(1, ${column.text}, ${written})` : column.text;
    // Longer values (sums, calls) keep their rest: a column plus one stays a change, another one.
    yield { mutator: 'sql: assignment', start: value.start, end: value.end, replacement };
  }
}

function isInSet(tokens: readonly Token[], index: number): boolean {
  let depth = 0;
  for (let at = index - 1; at >= 0; at--) {
    const word = tokens[at]?.text ?? '';
    if (word === ')') depth += 1;
    if (word === '(') depth -= 1;
    if (depth < 0 || word === 'WHERE' || word === 'SELECT') return false;
    if (word === 'SET') return true;
  }
  return false;
}

/** NOT dropped, a member of a list dropped, the default of a coalesce dropped, plus and minus. */
function* others(text: string, tokens: readonly Token[]): Generator<Edit> {
  for (const [index, token] of tokens.entries()) {
    const [next, afterNext] = [tokens[index + 1], tokens[index + 2]];
    if (token.text === 'NOT' && next?.text === 'EXISTS') {
      yield { mutator: 'sql: not', start: token.start, end: token.end, replacement: '' };
    }
    if (token.text === 'IS' && next?.text === 'NOT') {
      yield { mutator: 'sql: not', start: next.start, end: next.end, replacement: '' };
    } else if (token.text === 'IS' && next?.text === 'NULL') {
      yield { mutator: 'sql: not', start: next.start, end: next.end, replacement: 'NOT NULL' };
    }
    // Without one of the values of a row, nothing could be prepared.
    const isRow = /\bVALUES\b/.test(text.slice(0, token.start));
    if (
      !isRow &&
      token.text.startsWith("'") &&
      next?.text === ',' &&
      afterNext?.text.startsWith("'") === true
    ) {
      if (tokens[index - 1]?.text !== ',') {
        yield { mutator: 'sql: list', start: token.start, end: afterNext.start, replacement: '' };
      }
      yield { mutator: 'sql: list', start: next.start, end: afterNext.end, replacement: '' };
    }
  }
  for (const match of text.matchAll(/ ([+-]) (?=1\b)/g)) {
    const start = match.index + 1;
    yield {
      mutator: 'sql: arithmetic',
      start,
      end: start + 1,
      replacement: match[1] === '+' ? '-' : '+',
    };
  }
}
