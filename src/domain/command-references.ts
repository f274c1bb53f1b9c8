import type { Json } from './json';

/** Under these keys a result or a terminal record names another command, which is then kept as long as it is. */
const REFERENCE_KEYS: readonly string[] = ['commandId', 'leaderCommandId', 'supersedingCommandId'];

/** The ids of commands that a JSON value names, at any depth, each once. */
export function collectCommandReferences(value: Json): readonly string[] {
  const found = new Set<string>();
  const rest: Json[] = [value];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (next === null || typeof next !== 'object') continue;
    for (const [key, member] of Object.entries(next)) {
      if (typeof member === 'string' && REFERENCE_KEYS.includes(key)) found.add(member);
      else rest.push(member);
    }
  }
  return [...found];
}
