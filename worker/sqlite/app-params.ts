import type { SqlParams, SqlValue } from '../database';

/** Values for named parameters; the key is the name with or without its `:`, `@` or `$`. */
export type NamedSqlParams = Readonly<Record<string, SqlValue>>;
export type AppParams = SqlParams | NamedSqlParams;

/**
 * Puts an application's parameters in the statement's order.
 * @throws TypeError for a name the statement has not, one it has and was not given, or names where it has none.
 */
export function toPositional(params: AppParams, names: readonly (string | null)[]): SqlParams {
  if (isPositional(params)) return params;
  const keys = Object.keys(params);
  const used = new Set<string>();
  const values = names.map((name, index) => {
    if (name === null) throw new TypeError(`parameter ${index + 1} has no name; give an array of values`);
    const key = keys.find((candidate) => candidate === name || candidate === name.slice(1));
    if (key === undefined) throw new TypeError(`no value given for parameter "${name}"`);
    used.add(key);
    // The key is one of its own; an `undefined` under it is refused when it is bound.
    return params[key] as SqlValue;
  });
  const unknown = keys.find((key) => !used.has(key));
  if (unknown !== undefined) throw new TypeError(`the statement has no parameter "${unknown}"`);
  return values;
}

function isPositional(params: AppParams): params is SqlParams {
  return Array.isArray(params);
}
