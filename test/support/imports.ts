import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseSync, Visitor, type ParseResult } from 'vite';
import { repositoryRoot } from './repository-root';

export interface Import {
  /** The importing file, from the repository's root. */
  readonly from: string;
  /** The imported file, from the repository's root and without extension, or the specifier of a package. */
  readonly to: string;
  /** Whether it is gone once types are erased. */
  readonly isTypeOnly: boolean;
}

/** Every TypeScript file below `folder`, from the repository's root; none when the folder does not exist. */
export function findSourceFiles(folder: string): string[] {
  const absolute = join(repositoryRoot, folder);
  if (!existsSync(absolute)) return [];
  return readdirSync(absolute, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path))
    .toSorted();
}

/** What `file` imports, re-exports, imports dynamically, names in a type, or loads as a worker. */
export function readImports(file: string): Import[] {
  return parseImports(file, readFileSync(join(repositoryRoot, file), 'utf8'));
}

/** As `readImports`, for a text that is not on disk. */
export function parseImports(file: string, text: string): Import[] {
  const result = parseSync(file, text);
  if (result.errors.length > 0)
    throw new Error(`Cannot parse "${file}": ${result.errors.map((error) => error.message).join('; ')}`);
  return findSpecifiers(result, text).map(({ specifier, isTypeOnly }) => ({
    from: file,
    to: resolveSpecifier(file, specifier),
    isTypeOnly,
  }));
}

interface Specifier {
  readonly specifier: string;
  readonly isTypeOnly: boolean;
}

function findSpecifiers({ module, program }: ParseResult, text: string): Specifier[] {
  const found: Specifier[] = [];
  for (const { moduleRequest, entries } of module.staticImports)
    found.push({ specifier: moduleRequest.value, isTypeOnly: isErased(entries) });
  for (const { entries } of module.staticExports)
    for (const entry of entries)
      if (entry.moduleRequest) found.push({ specifier: entry.moduleRequest.value, isTypeOnly: entry.isType });
  for (const { moduleRequest } of module.dynamicImports)
    found.push({ specifier: unquote(text.slice(moduleRequest.start, moduleRequest.end)), isTypeOnly: false });
  new Visitor({
    TSImportType: ({ source }) => found.push({ specifier: source.value, isTypeOnly: true }),
    NewExpression: ({ callee, arguments: [address, base] }) => {
      // new URL('./x', import.meta.url)
      if (callee.type !== 'Identifier' || callee.name !== 'URL') return;
      if (base?.type !== 'MemberExpression' || base.object.type !== 'MetaProperty') return;
      if (address?.type === 'Literal' && typeof address.value === 'string' && address.value.startsWith('.'))
        found.push({ specifier: address.value, isTypeOnly: false });
    },
  }).visit(program);
  return found;
}

function isErased(entries: readonly { readonly isType: boolean }[]): boolean {
  return entries.length > 0 && entries.every((entry) => entry.isType);
}

function unquote(literal: string): string {
  return literal.replace(/^(['"`])(.*)\1$/s, '$2');
}

function resolveSpecifier(file: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier;
  return normalize(join(dirname(file), specifier)).replace(/\.[jt]s$/, '');
}
