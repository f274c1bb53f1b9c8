/** Matches any text that is not empty. */
const ANY_TEXT = '<text>';

/** Where `actual` is not what `expected` says, as a sentence; undefined where it is. Keys not expected are ignored. */
export function findDifference(expected: unknown, actual: unknown, path = 'result'): string | undefined {
  if (expected === ANY_TEXT) {
    return typeof actual === 'string' && actual !== '' ? undefined : differ(path, 'some text', actual);
  }
  if (Array.isArray(expected)) return findListDifference(expected, actual, path);
  if (isRecord(expected)) {
    if (!isRecord(actual)) return differ(path, expected, actual);
    for (const [key, value] of Object.entries(expected)) {
      const difference = findDifference(value, actual[key] ?? null, `${path}.${key}`);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  return Object.is(expected, actual) ? undefined : differ(path, expected, actual);
}

function findListDifference(expected: readonly unknown[], actual: unknown, path: string): string | undefined {
  if (!Array.isArray(actual)) return differ(path, expected, actual);
  for (const [index, value] of expected.entries()) {
    const difference = findDifference(value, actual[index] ?? null, `${path}[${index}]`);
    if (difference !== undefined) return difference;
  }
  return expected.length === actual.length
    ? undefined
    : differ(`${path}.length`, expected.length, actual.length);
}

function differ(path: string, expected: unknown, actual: unknown): string {
  return `${path}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(actual)}`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
