import type { z } from 'zod';
import { LIBRARY_CODES } from '../../src/domain/error-codes';
import { TidelockError } from '../../src/domain/tidelock-error';

/** The input as the schema makes it. @throws TidelockError INVALID_INPUT with the path of the first fault */
export function parseHandlerInput<Schema extends z.ZodType>(schema: Schema, raw: unknown): z.output<Schema> {
  const result = schema.safeParse(raw);
  if (result.success) return result.data;
  throw toInvalidInput(result.error);
}

export function toInvalidInput(error: z.ZodError): TidelockError {
  const [issue] = error.issues;
  const path = formatPath(issue?.path ?? []);
  const problem = issue?.message ?? 'does not fit its schema';
  return new TidelockError(LIBRARY_CODES.INVALID_INPUT, `Invalid input at "${path}": ${problem}.`, {
    details: {
      path,
      problem,
      issues: error.issues.map((each) => ({ path: formatPath(each.path), problem: each.message })),
    },
  });
}

/** `['operations', 3, 'payload']` as `operations[3].payload`. */
function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}
