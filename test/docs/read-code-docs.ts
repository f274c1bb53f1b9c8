/** What the comment of a code says: the first sentence is when it happens, the rest what to do about it. */
export interface CodeDoc {
  readonly when: string;
  readonly advice: string;
}

/**
 * The comments of the codes in one const object of `error-codes.ts`, by the codes' names.
 * @throws Error for a code without one
 */
export function readCodeDocs(source: string, constant: string): ReadonlyMap<string, CodeDoc> {
  const start = source.indexOf(`export const ${constant} = {`);
  if (start < 0) throw new Error(`error-codes.ts has no ${constant}`);
  const body = source.slice(source.indexOf('{', start) + 1, source.indexOf('} as const', start));
  const docs = new Map<string, CodeDoc>();
  for (const [, comment, name = ''] of body.matchAll(/(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\s*)?\b([A-Z_]+):/g)) {
    if (comment === undefined) throw new Error(`${constant}.${name} has no comment`);
    docs.set(name, splitComment(comment));
  }
  return docs;
}

function splitComment(comment: string): CodeDoc {
  const text = comment.replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim();
  const [when = '', ...rest] = text.split(/(?<=\.) (?=[A-Z`])/);
  return { when, advice: rest.join(' ') };
}
