/** Groups as callers without types may give them. */
import { describe, expect, test } from 'vitest';
import {
  assertDistinctIds,
  assertGroupMember,
  assertGroupShape,
  parsePushBoundary,
} from '../../src/domain/completion-checks';
import type { CompletionGroup } from '../../src/domain/completion-group';
import { refusalOf, setupStores } from '../stores/support/store-setup';

const GROUP: CompletionGroup = {
  permitIds: ['p', 'q'],
  workspaceId: 'w',
  coordinatorGeneration: 1,
  serverInstanceId: 's',
  ownerMode: 'browser-gateway',
  previousBoundary: null,
  expectedBoundary: null,
};
const shapeOf = (group: unknown): string => refusalOf(() => assertGroupShape(group as CompletionGroup));

describe('the shape of a group', () => {
  test('is fine', () => {
    expect(shapeOf(GROUP)).toBe('none');
    expect(shapeOf({ ...GROUP, coordinatorGeneration: 0, ownerMode: 'server', previousBoundary: 1 })).toBe(
      'none',
    );
  });

  test.each([
    ['null', null],
    ['a function', Object.assign(() => undefined, GROUP)],
    ['text', 'group'],
    ['undefined', undefined],
  ])('is none of %s', (_what, group) => {
    expect(shapeOf(group)).toBe('COMPLETION_GROUP_INVALID');
  });

  test.each<[string, readonly unknown[]]>([
    ['permitIds', [undefined, 'p', [], ['p', 5], [5, 'p'], { length: 1, every: () => true }]],
    ['workspaceId', [undefined, '', 5]],
    ['serverInstanceId', [undefined, '', 5]],
    ['coordinatorGeneration', [undefined, -1, 0.5, '1', 2 ** 53]],
    ['ownerMode', [undefined, 'stopped']],
    ['previousBoundary', [undefined]],
    ['expectedBoundary', [undefined]],
  ])('is refused for its %s', (field, values) => {
    for (const value of values)
      expect(shapeOf({ ...GROUP, [field]: value })).toBe('COMPLETION_GROUP_INVALID');
  });
});

test.each([[undefined], ['p'], [[]], [['']], [[' p']], [['p ']], [['p', 'p']], [['p', 5]]])(
  'ids are not %j',
  (ids) => {
    expect(refusalOf(() => assertDistinctIds(ids as string[], 'ids'))).toBe('PERMIT_IDENTITY_CONFLICT');
  },
);

describe('a push boundary', () => {
  const BOUNDARY = { version: 1, projection: 'v2-push', batchOperationIdentities: ['a', 'b'] } as const;
  const { batchOperationIdentities: _left, ...withoutIdentities } = BOUNDARY;

  test('is copied, so that its giver can change nothing later', () => {
    const given = { ...BOUNDARY, batchOperationIdentities: ['a', 'b'] };
    const parsed = parsePushBoundary(given);
    given.batchOperationIdentities.push('c');
    expect(parsed).toEqual(BOUNDARY);
    expect(parsePushBoundary({ ...BOUNDARY, batchOperationIdentities: [] }).batchOperationIdentities).toEqual(
      [],
    );
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['text', 'boundary'],
    ['empty', {}],
    ['without identities', withoutIdentities],
    ['of another version', { ...BOUNDARY, version: 2 }],
    ['of another projection', { ...BOUNDARY, projection: 'v3' }],
    ['with something more', { ...BOUNDARY, more: 1 }],
    ['with identities that are no list', { ...BOUNDARY, batchOperationIdentities: new Set(['a']) }],
    ['with an empty identity', { ...BOUNDARY, batchOperationIdentities: ['a', ''] }],
    ['with a padded identity', { ...BOUNDARY, batchOperationIdentities: [' a', 'b'] }],
    ['with an identity that is no text', { ...BOUNDARY, batchOperationIdentities: ['a', 1] }],
    ['with an identity twice', { ...BOUNDARY, batchOperationIdentities: ['a', 'a'] }],
  ])('is none that is %s', (_how, value) => {
    expect(refusalOf(() => parsePushBoundary(value))).toBe('PERMIT_IDENTITY_CONFLICT');
  });
});

test('a boundary that is left out is none, as a cursor that is none', async () => {
  const { answered } = await setupStores();
  const { previousBoundary: _none, ...rest } = GROUP;
  const enter = (cursor: number | null): string => {
    const permit = answered({ lastCommittedCursor: cursor }, 'accepted');
    return refusalOf(() => assertGroupMember(permit, rest as CompletionGroup, 'local-commit-entered'));
  };
  expect(enter(null)).toBe('none');
  expect(enter(1)).toBe('PERMIT_STATE_CONFLICT');
});
