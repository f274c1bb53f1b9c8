import { describe, expect, test } from 'vitest';
import { compareBuilds, judgeBuild, type Build, type WriterBuild } from '../../src/protocol/build';

type Numbers = readonly [protocol: number, tidelock: number, app: number, version: number];

function build([protocol, tidelock, app, version]: Numbers): Build {
  return { protocol, schema: { tidelock, app }, version };
}

function writer(numbers: Numbers, safeFrom = { tidelock: numbers[1], app: numbers[2] }): WriterBuild {
  return { ...build(numbers), safeFrom };
}

describe('builds', () => {
  test('are ordered by protocol, then the library’s schema, then the app’s, then the app’s number', () => {
    const ordered: Numbers[] = [
      [1, 9, 9, 9],
      [2, 1, 9, 9],
      [2, 2, 1, 9],
      [2, 2, 2, 0],
      [2, 2, 2, 1],
    ];
    const shuffled = [3, 0, 4, 2, 1].map((index) => build(ordered[index] as Numbers));
    expect(shuffled.toSorted(compareBuilds)).toEqual(ordered.map(build));
    expect(compareBuilds(build([1, 1, 1, 1]), build([1, 1, 1, 1]))).toBe(0);
  });

  test.each<[string, Numbers, WriterBuild, string]>([
    ['the same', [3, 4, 2, 0], writer([3, 4, 2, 0]), 'served'],
    ['an older schema', [3, 4, 1, 0], writer([3, 4, 2, 0]), 'outdated'],
    ['an older schema that is safe', [3, 4, 1, 0], writer([3, 4, 2, 0], { tidelock: 4, app: 1 }), 'served'],
    ['an older library', [3, 3, 2, 0], writer([3, 4, 2, 0]), 'outdated'],
    ['an older library, a newer app', [3, 3, 3, 0], writer([3, 4, 2, 0]), 'outdated'],
    ['a newer schema', [3, 4, 3, 0], writer([3, 4, 2, 0]), 'newer'],
    ['a newer library', [3, 5, 2, 0], writer([3, 4, 2, 0]), 'newer'],
    ['an older number', [3, 4, 2, 1], writer([3, 4, 2, 2]), 'served'],
    ['a newer number', [3, 4, 2, 3], writer([3, 4, 2, 2]), 'newer'],
    ['an older protocol', [2, 9, 9, 9], writer([3, 4, 2, 0]), 'outdated'],
    ['a newer protocol', [4, 1, 1, 0], writer([3, 4, 2, 0]), 'newer'],
    // An older writer on a database that a newer one left, safe for both.
    ['the newer tab again', [3, 4, 3, 0], writer([3, 4, 2, 0], { tidelock: 4, app: 2 }), 'newer'],
  ])('a tab of %s beside the writer’s', (_name, tab, other, verdict) => {
    expect(judgeBuild(build(tab), other)).toBe(verdict);
  });
});
