/** The pure decisions, each condition by itself. */
import { describe, expect, test } from 'vitest';
import type { CoordinatorState } from '../../src/domain/coordinator-state';
import { isThenable } from '../../src/domain/is-thenable';
import { mustBeSameIssue } from '../../src/domain/issue-decision';
import { mustBeLimit } from '../../src/domain/limit';
import { assertDispatchSettles } from '../../src/domain/obligation-resolution';
import { toRequiredAction } from '../../src/domain/operation-class';
import type { IssueInput } from '../../src/domain/permit';
import { findPermitEdge } from '../../src/domain/permit-machine';
import type { Obligation } from '../../src/domain/recovery-obligation';
import {
  parseRequestedBy,
  parseTerminalTransfer,
  toTerminalTransfer,
} from '../../src/domain/terminal-transfer';
import { canAdvance } from '../../src/domain/transfer-machine';
import { refusalOf, setupStores } from '../stores/support/store-setup';

describe('an issue asked again', () => {
  test.each<[string, Partial<IssueInput>, string]>([
    ['nothing', {}, 'none'],
    ['its workspace', { workspaceId: 'w-2' }, 'PERMIT_IDENTITY_CONFLICT'],
    ['its generation', { coordinatorGeneration: 2 }, 'PERMIT_IDENTITY_CONFLICT'],
    ['its instance', { serverInstanceId: 's-2' }, 'PERMIT_IDENTITY_CONFLICT'],
    ['its class', { operationClass: 'v3-dispatch' }, 'PERMIT_IDENTITY_CONFLICT'],
    ['its stream', { stream: 'other' }, 'PERMIT_IDENTITY_CONFLICT'],
    ['its identity', { operationIdentity: 'another' }, 'PERMIT_IDENTITY_CONFLICT'],
    ['its cursor', { lastCommittedCursor: 1 }, 'PERMIT_IDENTITY_CONFLICT'],
    ['its deadline', { deadlineAt: '2026-03-01T00:02:00.000Z' }, 'PERMIT_IDENTITY_CONFLICT'],
    ['the form of its deadline', { deadlineAt: '2026-03-01T01:01+01:00' }, 'none'],
    ['its holder', { holderId: 'another' }, 'none'],
    ['its identity, which is left out', { operationIdentity: undefined }, 'none'],
  ])('may differ in %s or not', async (_what, difference, code) => {
    const { permits, issueInput } = await setupStores();
    const input = issueInput({ permitId: 'p', operationClass: 'push', operationIdentity: 'op' });
    const stored = permits.issue(input);
    const again = { ...input, ...difference };
    expect(refusalOf(() => mustBeSameIssue(stored, stored.deadlineAt, again, 'browser-gateway'))).toBe(code);
    expect(refusalOf(() => mustBeSameIssue(stored, stored.deadlineAt, again, 'server'))).toBe(
      'PERMIT_IDENTITY_CONFLICT',
    );
  });
});

test('a limit is an integer from 1 to its maximum', () => {
  expect([1, 2, 3].map((limit) => mustBeLimit(limit, 3))).toEqual([1, 2, 3]);
  for (const limit of [0, 4, 1.5, NaN]) expect(refusalOf(() => mustBeLimit(limit, 3))).toBe('LIMIT_INVALID');
});

/** By reflection: a literal with a `then` is a mistake everywhere else. */
function withThen(target: object, then: unknown): object {
  Reflect.set(target, 'then', then);
  return target;
}

test('what is thenable is what would be awaited', () => {
  const callable = Object.assign(() => undefined, Promise.resolve());
  for (const value of [null, undefined, 1, 'then', {}, () => undefined, callable]) {
    expect(isThenable(value)).toBe(false);
  }
  for (const then of [undefined, null, 'text', {}]) expect(isThenable(withThen({}, then))).toBe(false);
  expect(isThenable(withThen({}, () => undefined))).toBe(true);
  expect(
    isThenable(
      withThen(
        () => undefined,
        () => undefined,
      ),
    ),
  ).toBe(true);
  expect(isThenable(Promise.resolve())).toBe(true);
});

test('a mutation that can be named is replayed, and anything else fetched again', () => {
  const [replay, refetch] = ['replay-operation-then-reconcile', 'refetch-from-committed-cursor'];
  expect(toRequiredAction('push', 'op')).toBe(replay);
  expect(toRequiredAction('v3-dispatch', 'op')).toBe(replay);
  expect(toRequiredAction('push', null)).toBe(refetch);
  expect(toRequiredAction('pull', 'op')).toBe(refetch);
  expect(toRequiredAction('pull', null)).toBe(refetch);
});

test('accepted mutations enter the local commit and leave it by the same means', () => {
  for (const [by, operationClass] of [
    ['complete-push', 'push'],
    ['complete-dispatch', 'v3-dispatch'],
  ] as const) {
    const situation = { operationClass, upstreamDisposition: 'accepted' } as const;
    const enter = findPermitEdge({ ...situation, state: 'gateway-complete-awaiting-apply' }, by);
    expect(enter?.to).toBe('local-commit-entered');
    expect(findPermitEdge({ ...situation, state: 'local-commit-entered' }, by)?.to).toBe('released');
  }
});

describe('a replayed dispatch', () => {
  const OBLIGATION: Obligation = {
    obligationId: 'o',
    permitId: 'p',
    workspaceId: 'w',
    operationClass: 'v3-dispatch',
    operationIdentity: 'op',
    upstreamDisposition: 'unknown',
    lastCommittedCursor: null,
    requiredAction: 'replay-operation-then-reconcile',
    createdAt: 'x',
    resolvedAt: null,
    resolvedBoundary: null,
    stream: 'main',
  };

  test.each<[Partial<Obligation>, number, string]>([
    [{}, 1, 'none'],
    [{}, 0, 'none'],
    [{ workspaceId: 'w-2' }, 2, 'STALE_GENERATION'],
    [{ workspaceId: 'w-2', operationClass: 'push' }, 1, 'INACTIVE_WORKSPACE'],
    [{ operationClass: 'push' }, 1, 'PERMIT_IDENTITY_CONFLICT'],
    [{ requiredAction: 'refetch-from-committed-cursor' }, 1, 'PERMIT_IDENTITY_CONFLICT'],
    [{ operationIdentity: 'another' }, 1, 'PERMIT_IDENTITY_CONFLICT'],
    [{ operationIdentity: null }, 1, 'PERMIT_IDENTITY_CONFLICT'],
    [{ resolvedAt: 'x', resolvedBoundary: 1 }, 1, 'none'],
    [{ resolvedAt: 'x', resolvedBoundary: 2 }, 1, 'PERMIT_IDENTITY_CONFLICT'],
  ])('settles the obligation with %j of generation %i or not', (difference, coordinatorGeneration, code) => {
    const origin = { coordinatorGeneration, operationIdentity: 'op', lastCommittedCursor: null };
    const scope = { workspaceId: 'w', coordinatorGeneration: 1, ownerMode: 'browser-gateway' } as const;
    const resolution = { obligationId: 'o', operationIdentity: 'op', resolvedBoundary: 1 };
    const settle = () =>
      assertDispatchSettles({ obligation: { ...OBLIGATION, ...difference }, origin }, scope, resolution);
    expect(refusalOf(settle)).toBe(code);
  });
});

describe('how a transfer ended', () => {
  const STATE = {
    coordinatorGeneration: 2,
    acceptedTransferCommandId: 't',
    transferTargetMode: 'server',
    transferPhase: 'committing',
  } as CoordinatorState; // as much of it as is looked at
  const RECORD = {
    commandId: 't',
    status: 'succeeded',
    sourceMode: 'browser-gateway',
    targetMode: 'server',
    sourceGeneration: 1,
    targetGeneration: 2,
    completedAt: 'now',
    errorCode: null,
    errorPhase: null,
  } as const;

  test('is told from the state that it leaves, and not where that shows none', () => {
    expect(toTerminalTransfer(STATE, 'now', null)).toEqual(RECORD);
    expect(toTerminalTransfer({ ...STATE, transferPhase: 'draining' }, 'now', { errorCode: 'X' })).toEqual({
      ...RECORD,
      status: 'failed',
      sourceGeneration: 2,
      targetGeneration: 3,
      errorCode: 'X',
      errorPhase: 'draining',
    });
    for (const field of ['acceptedTransferCommandId', 'transferTargetMode', 'transferPhase']) {
      expect(toTerminalTransfer({ ...STATE, [field]: null }, 'now', null), field).toBeNull();
    }
  });

  test('is read back whole', () => {
    const failed = { ...RECORD, status: 'failed', errorCode: 'X', errorPhase: 'draining' } as const;
    expect(parseTerminalTransfer(RECORD)).toEqual(RECORD);
    expect(parseTerminalTransfer(failed)).toEqual(failed);
  });

  test.each([
    ['commandId', ['', 5, null]],
    ['status', ['running', null]],
    ['sourceMode', ['stopped', null, 5]],
    ['targetMode', ['stopped', null, 5]],
    ['sourceGeneration', ['1', null, 0.5]],
    ['targetGeneration', ['2', null, 0.5]],
    ['completedAt', ['', 5, null]],
    ['errorCode', [5]],
    ['errorPhase', ['asleep', 5]],
  ] as const)('is not read where its %s is none', (field, values) => {
    for (const value of values) expect(parseTerminalTransfer({ ...RECORD, [field]: value })).toBeNull();
    const { [field]: _left, ...rest } = RECORD;
    expect(parseTerminalTransfer(rest)).toBeNull();
  });

  test('is not read from what is no record', () => {
    for (const value of [null, 5, 'text', [], [RECORD]]) expect(parseTerminalTransfer(value)).toBeNull();
  });
});

test('a transfer takes the way of its own target, a step at a time', () => {
  for (const target of ['server', 'browser-gateway'] as const) {
    const middle = target === 'server' ? 'starting-target' : 'stopping-source';
    const other = target === 'server' ? 'stopping-source' : 'starting-target';
    expect(canAdvance('preparing', 'draining', target)).toBe(true);
    expect(canAdvance('draining', 'generation-advanced', target)).toBe(false);
    expect(canAdvance('generation-advanced', middle, target)).toBe(true);
    expect(canAdvance('generation-advanced', other, target)).toBe(false);
    expect(canAdvance('generation-advanced', 'committing', target)).toBe(false);
    expect(canAdvance(middle, 'committing', target)).toBe(true);
    expect(canAdvance(other, 'committing', target)).toBe(false);
  }
});

test('who asked has a user and a tenant', () => {
  const who = { userId: 'u', tenantId: 't' };
  expect(parseRequestedBy({ ...who, more: 1 })).toEqual(who);
  for (const value of [
    null,
    'u',
    [],
    { userId: 'u' },
    { tenantId: 't' },
    { ...who, userId: '' },
    { ...who, tenantId: 5 },
  ]) {
    expect(parseRequestedBy(value)).toBeNull();
  }
});
