import canonicalize from 'canonicalize';
import type { Json } from './json';

/** JSON text in the form of RFC 8785: equal values give equal text, whatever the order of their keys. */
export function toCanonicalJson(value: Json): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('canonical JSON of undefined');
  return text;
}

/** Whether two JSON values are the same in canonical form. */
export function isCanonicallyEqual(a: Json, b: Json): boolean {
  return toCanonicalJson(a) === toCanonicalJson(b);
}
