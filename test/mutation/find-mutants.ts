import { isNode, parseTypeScript, unwrap, walk, type AstNode, type Visit } from './ast';
import { toMutant, type Edit, type Mutant } from './mutant';
import type { Source } from './sources';
import { findSqlEdits, looksLikeSql } from './sql-mutators';

/** Every mutant of a source, in order of place. What only tells people something (messages, details) is left alone. */
export function findMutants({ path, text }: Source): readonly Mutant[] {
  const seen = new Set<string>();
  const mutants: Mutant[] = [];
  for (const visit of walk(parseTypeScript(path, text), isForPeople)) {
    for (const edit of findEdits(visit, text)) {
      const place = `${edit.start}:${edit.end}:${edit.replacement}`;
      if (seen.has(place) || text.slice(edit.start, edit.end) === edit.replacement) continue;
      seen.add(place);
      mutants.push(toMutant(path, text, edit));
    }
  }
  return numberRepeats(mutants.toSorted((a, b) => a.start - b.start || a.end - b.end));
}

/** Equal changes of equal lines are told apart by their number. */
function numberRepeats(mutants: readonly Mutant[]): readonly Mutant[] {
  const counts = new Map<string, number>();
  return mutants.map((mutant) => {
    const count = (counts.get(mutant.key) ?? 0) + 1;
    counts.set(mutant.key, count);
    return count === 1 ? mutant : { ...mutant, key: `${mutant.key} · no. ${count}` };
  });
}

/** Errors: after the code come the message and the details. */
function isForPeople({ node, parents }: Visit): boolean {
  const parent = parents.at(-1);
  if (parent?.type === 'NewExpression') {
    return readName(parent['callee']).endsWith('Error') && node !== parent['callee'];
  }
  if (parent?.type !== 'CallExpression' || !readName(parent['callee']).startsWith('refuse')) return false;
  const isCode = node.type === 'MemberExpression' && readName(node['object']).endsWith('_CODES');
  return node !== parent['callee'] && !isCode;
}

type Mutator = (visit: Visit, text: string) => Iterable<Edit>;

function* findEdits(visit: Visit, text: string): Generator<Edit> {
  for (const mutator of MUTATORS[visit.node.type] ?? []) yield* mutator(visit, text);
}

const MUTATORS: Readonly<Record<string, readonly Mutator[]>> = {
  IfStatement: [mutateTest],
  ConditionalExpression: [mutateTest],
  LogicalExpression: [mutateLogical],
  BinaryExpression: [mutateBinary],
  UnaryExpression: [mutateUnary],
  Literal: [mutateLiteral],
  TemplateLiteral: [mutateTemplate],
  MemberExpression: [mutateMember],
  ExpressionStatement: [removeStatement],
  ThrowStatement: [removeStatement],
  ContinueStatement: [removeStatement],
  BreakStatement: [removeStatement],
  ArrayExpression: [removeElements],
  ObjectExpression: [removeProperties],
};

function* mutateTest({ node }: Visit): Generator<Edit> {
  const { test } = node;
  if (!isNode(test)) return;
  yield replace('condition true', test, 'true');
  yield replace('condition false', test, 'false');
}

/** One operand of a chain dropped, `&&` and `||` exchanged, a default dropped. */
function* mutateLogical({ node, parents }: Visit, text: string): Generator<Edit> {
  const { left, right, operator } = node;
  const parent = parents.at(-1);
  if (!isNode(left) || !isNode(right)) return;
  if (operator === '??') {
    yield replace('default dropped', node, readText(left, text));
    return;
  }
  // A chain is looked at once, from its outermost node.
  if (parent?.type === 'LogicalExpression' && parent['operator'] === operator) return;
  const operands = flattenChain(node).map((operand) => readText(operand, text));
  for (const dropped of operands.keys()) {
    const rest = operands.filter((_operand, index) => index !== dropped).join(` ${String(operator)} `);
    yield { ...replace('operand dropped', node, rest), label: `without ${operands[dropped] ?? ''}` };
  }
  const other = operator === '&&' ? '||' : '&&';
  const exchanged = `${readText(left, text)} ${other} ${readText(right, text)}`;
  yield replace('and/or', node, exchanged);
}

function flattenChain(node: AstNode): readonly AstNode[] {
  const { left, right, operator } = node;
  if (!isNode(left) || !isNode(right)) return [node];
  const isLonger = left.type === 'LogicalExpression' && left['operator'] === operator;
  return [...(isLonger ? flattenChain(left) : [left]), right];
}

function readText({ start, end, type }: AstNode, text: string): string {
  const source = text.slice(start, end);
  return type === 'LogicalExpression' || type === 'ConditionalExpression' ? `(${source})` : source;
}

const BOUNDARIES: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const OPPOSITES: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
};

function* mutateBinary({ node, parents }: Visit, text: string): Generator<Edit> {
  const operator = String(node['operator']);
  const boundary = BOUNDARIES[operator];
  const opposite = OPPOSITES[operator];
  if (boundary !== undefined) yield replaceOperator('boundary', node, boundary, text);
  if (opposite === undefined) return;
  // A whole condition is made true and false, and an operand dropped, elsewhere: flipping it says nothing more.
  const parent = parents.at(-1);
  const isCovered = parent?.type === 'LogicalExpression' || parent?.['test'] === node;
  const isEquality = operator === '===' || operator === '!==';
  if (!(isEquality && isCovered))
    yield replaceOperator(isEquality ? 'equality' : 'arithmetic', node, opposite, text);
}

function* mutateUnary({ node, parents }: Visit, text: string): Generator<Edit> {
  const { argument, operator } = node;
  const parent = parents.at(-1);
  if (operator !== '!' || !isNode(argument) || parent?.['test'] === node) return;
  yield replace('not dropped', node, text.slice(argument.start, argument.end));
}

function* mutateLiteral({ node, parents }: Visit, text: string): Generator<Edit> {
  const { value } = node;
  const parent = parents.at(-1);
  if (typeof value === 'boolean') yield replace('boolean', node, String(!value));
  if (typeof value === 'number') yield replace('number', node, String(value + 1));
  if (typeof value !== 'string') return;
  if (looksLikeSql(value)) {
    yield* findSqlEdits(text.slice(node.start + 1, node.end - 1), node.start + 1);
    return;
  }
  const isKey = parent?.['key'] === node || parent?.['property'] === node;
  const isCompared = parent?.type === 'BinaryExpression';
  // Whole sentences are for people.
  if (!isKey && !isCompared && !value.includes(' ')) yield replace('text', node, `'mutated'`);
}

function* mutateTemplate({ node }: Visit, text: string): Generator<Edit> {
  const source = text.slice(node.start + 1, node.end - 1);
  if (looksLikeSql(source)) yield* findSqlEdits(source, node.start + 1);
}

/** Another code; `some` for `every` and the like. */
function* mutateMember({ node }: Visit): Generator<Edit> {
  const { property } = node;
  if (!isNode(property) || node['computed'] === true) return;
  const name = readName(property);
  if (readName(node['object']).endsWith('_CODES'))
    yield replace('code', property, nextCode(readName(node['object']), name));
  const other = METHODS.get(name);
  if (other !== undefined) yield replace('method', property, other);
}

const METHODS = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['max', 'min'],
  ['min', 'max'],
  ['toSorted', 'slice'],
  ['trunc', 'ceil'],
]);

function nextCode(set: string, name: string): string {
  const [first, second] =
    set === 'ROW_CODES' ? ['HOLDER_GONE', 'RUNNER_RECREATED'] : ['LIMIT_INVALID', 'STATE_CORRUPT'];
  return (name === first ? second : first) ?? name;
}

function* removeStatement({ node }: Visit): Generator<Edit> {
  const { expression } = node;
  // A directive, and the call of a base class, which cannot be missing.
  if (isNode(expression) && (expression.type === 'Literal' || isSuperCall(expression))) return;
  yield replace('statement removed', node, ';');
}

/** Members of constant lists. Lists of parameters are not touched: a binding that fails would prove nothing. */
function* removeElements({ node, parents }: Visit, text: string): Generator<Edit> {
  const elements = Array.isArray(node['elements']) ? (node['elements'] as unknown[]).filter(isNode) : [];
  const isParameters = parents.some(({ type }) => type === 'CallExpression');
  const isConstant = elements.every((element) =>
    ['Literal', 'Identifier', 'SpreadElement', 'ObjectExpression'].includes(unwrap(element).type),
  );
  if (isParameters || !isConstant) return;
  for (const element of elements) yield replace('element removed', element, '', text);
}

/** What a call is told to change or to write. */
function* removeProperties({ node, parents }: Visit, text: string): Generator<Edit> {
  const parent = parents.at(-1);
  const isEvidence = parent?.type === 'VariableDeclarator' && readName(parent['id']) === 'evidence';
  if (parent?.type !== 'CallExpression' && !isEvidence) return;
  const properties = Array.isArray(node['properties'])
    ? (node['properties'] as unknown[]).filter(isNode)
    : [];
  for (const property of properties) yield replace('property removed', property, '', text);
}

/** An empty replacement takes the comma after it along. */
function replace(mutator: string, { start, end }: AstNode, replacement: string, text?: string): Edit {
  const comma =
    replacement === '' && text !== undefined ? (/^\s*,/.exec(text.slice(end))?.[0].length ?? 0) : 0;
  return { mutator, start, end: end + comma, replacement };
}

function replaceOperator(mutator: string, node: AstNode, operator: string, text: string): Edit {
  const { left, right } = node;
  if (!isNode(left) || !isNode(right)) throw new TypeError('an operator without operands');
  const between = text.slice(left.end, right.start);
  const old = String(node['operator']);
  const start = left.end + between.indexOf(old);
  return { mutator, start, end: start + old.length, replacement: operator };
}

function isSuperCall({ type, callee }: AstNode): boolean {
  return type === 'CallExpression' && isNode(callee) && callee.type === 'Super';
}

function readName(node: unknown): string {
  if (!isNode(node)) return '';
  if (node.type === 'MemberExpression') return readName(node['property']);
  return typeof node['name'] === 'string' ? node['name'] : '';
}
