import { parseSync } from 'vite';

/** A node of the ESTree that Vite's parser makes of TypeScript; as much of it as every node has. */
export interface AstNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** @throws Error where the text is not TypeScript */
export function parseTypeScript(path: string, text: string): AstNode {
  const { program, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path}: ${error.message}`);
  return program as unknown as AstNode; // the same tree, typed by less
}

export function isNode(value: unknown): value is AstNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** Types are gone at run time: these wrap a value, the other TS nodes hold none. */
const VALUE_WRAPPERS: ReadonlySet<string> = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
]);
const TYPE_FIELDS: ReadonlySet<string> = new Set([
  'typeAnnotation',
  'typeParameters',
  'typeArguments',
  'returnType',
  'superTypeArguments',
  'implements',
  'decorators',
]);

export interface Visit {
  readonly node: AstNode;
  /** From the outermost to the node's own parent. */
  readonly parents: readonly AstNode[];
}

/** Every node that has a meaning at run time, outer ones first; `skip` leaves out a node and all below it. */
export function* walk(
  node: AstNode,
  skip: (visit: Visit) => boolean,
  parents: readonly AstNode[] = [],
): Generator<Visit> {
  if (node.type.startsWith('TS') && !VALUE_WRAPPERS.has(node.type)) return;
  if (node.type === 'ImportDeclaration' || skip({ node, parents })) return;
  yield { node, parents };
  const below = [...parents, node];
  for (const [field, value] of Object.entries(node)) {
    if (TYPE_FIELDS.has(field)) continue;
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (isNode(child)) yield* walk(child, skip, below);
    }
  }
}

/** The node below `as const` and the like. */
export function unwrap(node: AstNode): AstNode {
  return VALUE_WRAPPERS.has(node.type) && isNode(node['expression']) ? unwrap(node['expression']) : node;
}
