/** Parsers from `unknown`, shared by requests and journal lines. Each is told where the value stands, to say so. */

/** A value has the wrong shape. Correct it at `path`; nothing was changed. */
export class InvalidInputError extends Error {
  override readonly name = 'InvalidInputError';
  /** Such as `operations[0].payload.kind`; empty for the whole. */
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

export interface Range {
  readonly min: number;
  readonly max: number;
}

/** An object with no other keys than those given. Missing ones read as undefined. */
export function parseObject(value: unknown, path: string, keys: readonly string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw unwanted(value, path, 'an object');
  }
  const entries: [string, unknown][] = Object.entries(value);
  for (const [key] of entries) {
    if (!keys.includes(key)) throw unwanted(key, joinPath(path, key), `one of the keys ${keys.join(', ')}`);
  }
  return Object.fromEntries(entries);
}

export function parseArray(value: unknown, path: string, maxLength: number): readonly unknown[] {
  if (!Array.isArray(value)) throw unwanted(value, path, 'an array');
  if (value.length > maxLength) throw unwanted(value.length, path, `at most ${maxLength} items`);
  return value;
}

/** A string whose length in UTF-16 units is in the range. */
export function parseString(value: unknown, path: string, length: Range): string {
  if (typeof value !== 'string') throw unwanted(value, path, 'a string');
  if (value.length < length.min || value.length > length.max) {
    throw unwanted(value, path, `a string of ${length.min} to ${length.max} characters`);
  }
  return value;
}

export function parseBoolean(value: unknown, path: string): boolean {
  if (typeof value !== 'boolean') throw unwanted(value, path, 'true or false');
  return value;
}

export function parseInteger(value: unknown, path: string, range: Range): number {
  if (!Number.isSafeInteger(value) || typeof value !== 'number' || value < range.min || value > range.max) {
    throw unwanted(value, path, `an integer from ${range.min} to ${range.max}`);
  }
  return value;
}

export function parseOneOf<T extends string>(value: unknown, path: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw unwanted(value, path, `one of ${allowed.join(', ')}`);
  return found;
}

export function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unwanted(text, path, 'JSON');
  }
}

export function joinPath(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}

export function unwanted(value: unknown, path: string, wanted: string): InvalidInputError {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  const quoted = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return new InvalidInputError(path, `${path === '' ? 'the body' : path} is ${quoted}, wanted ${wanted}`);
}
