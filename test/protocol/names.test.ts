import { describe, expect, test } from 'vitest';
import { isDatabaseName, lockNames, parseSessionLock } from '../../src/protocol/names';

describe('names', () => {
  test.each(['tasks', 'a', 'Tasks-2.test_1', '_x', '9', 'x'.repeat(64)])(
    '"%s" is a database name',
    (name) => {
      expect(isDatabaseName(name)).toBe(true);
    },
  );

  test.each([
    '',
    '.',
    '..',
    '.hidden',
    '-x',
    'a/b',
    'a\\b',
    'a b',
    'täsks',
    'a\n',
    'x'.repeat(65),
    'a\u0000',
  ])('%j is no database name', (name) => {
    expect(isDatabaseName(name)).toBe(false);
  });

  test('a session is read back from its lock, and from no other lock', () => {
    expect(parseSessionLock('tasks', lockNames.session('tasks', 's-1'))).toBe('s-1');
    expect(parseSessionLock('tasks', lockNames.session('tasks2', 's-1'))).toBeUndefined();
    expect(parseSessionLock('tasks', lockNames.writer('tasks'))).toBeUndefined();
    expect(
      parseSessionLock('tasks', lockNames.worker('tasks', { sessionId: 's-1', workerId: 'w-1' })),
    ).toBeUndefined();
    expect(parseSessionLock('tasks', undefined)).toBeUndefined();
  });

  test('workspaces and streams with slashes do not share a pull lock', () => {
    expect(lockNames.pull('d', 'a/b', 'c')).not.toBe(lockNames.pull('d', 'a', 'b/c'));
  });
});
