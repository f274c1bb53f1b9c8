/** Every call, each field in turn given an extreme value: refused with a code and the path, and not one row changes. */
import { describe, expect, test } from 'vitest';
import { CALLS, type CallInput, type CallName } from '../../src/protocol/surface';
import { DEADLINE, PRINCIPAL, setup } from './setup';

const FENCE = { permitId: 'p-1', workspaceId: 'w-1', coordinatorGeneration: 1, serverInstanceId: '1.test' };
const NEEDS = { permitIds: ['p-1'] };

/** An input of the right shape for every call. */
const INPUTS: { readonly [C in CallName]: CallInput<C> } = {
  'calls.cancel': { callIds: ['c'] },
  'calls.ping': {},
  'writer.handOver': {},
  'calls.readOutcome': { callId: 'c' },
  'gateway.readLastPull': { workspaceId: 'w-1', stream: 'main' },
  'app.query': { handler: 'notes', input: {}, workspaceId: 'w-1' },
  'app.mutate': { handler: 'addNote', input: { id: 'a', text: 'b' }, workspaceId: 'w-1' },
  'coordinator.readState': {},
  'workspaces.open': { workspaceId: 'w-1', principal: PRINCIPAL },
  'permits.issue': {
    ...FENCE,
    operationClass: 'push',
    operationIdentity: 'op',
    lastCommittedCursor: { seq: 1 },
    deadlineAt: DEADLINE,
    stream: 'main',
  },
  'permits.transition': {
    ...FENCE,
    expectedState: 'issued-idle',
    nextState: 'gateway-in-flight',
    operationIdentity: 'op',
    upstreamDisposition: 'unknown',
    errorCode: 'X',
  },
  'permits.enterLocalCommit': FENCE,
  'permits.completeLocalCommit': FENCE,
  'permits.settleInterruptedLocalCommit': {
    workspaceId: 'w-1',
    permitId: 'p-1',
    outcome: 'committed',
    evidence: { seen: true },
  },
  'permits.release': FENCE,
  'permits.acknowledgeNonApplyingCompletion': { ...FENCE, ownerMode: 'browser-gateway' },
  'permits.abandonPermit': { ...FENCE, errorCode: 'X' },
  'permits.renew': { ...FENCE, deadlineAt: DEADLINE },
  'permits.read': { permitId: 'p-1' },
  'permits.summarize': { workspaceId: 'w-1' },
  'permits.inspectGenerationDrain': { workspaceId: 'w-1', coordinatorGeneration: 1, limit: 10 },
  'permits.listOpenRecoveryObligations': { workspaceId: 'w-1' },
  'gateway.beginPull': { permitId: 'p-2', workspaceId: 'w-1', stream: 'main', deadlineAt: DEADLINE },
  'gateway.beginPush': {
    workspaceId: 'w-1',
    stream: 'main',
    deadlineAt: DEADLINE,
    operations: [{ permitId: 'p-3', operationIdentity: 'op-3' }],
  },
  'gateway.startRequest': NEEDS,
  'gateway.recordOutcomes': { outcomes: [{ permitId: 'p-1', disposition: 'accepted', errorCode: 'X' }] },
  'gateway.applyPull': { permitId: 'p-1', handler: 'notes', page: [], nextCursor: { seq: 1 } },
  'gateway.applyPush': { ...NEEDS, handler: 'notes', page: [] },
  'gateway.abandon': { ...NEEDS, errorCode: 'X' },
};

/** Values no field takes. What a store has a code of its own for (an unreadable deadline) is refused by that. */
const EXTREMES: readonly (readonly [name: string, value: unknown])[] = [
  ['an empty text', ''],
  ['10,000 characters', 'x'.repeat(10_000)],
  ['a lone surrogate', 'a\ud800'],
  ['2^53', 2 ** 53],
  ['a negative number', -1],
  ['a fraction', 0.5],
  ['NaN', NaN],
  ['an object with __proto__', JSON.parse('{"__proto__":{"isAdmin":true}}')],
  ['an object 70 levels deep', nest(70)],
  ['a list', [[]]],
  ['a function', () => 1],
];

function nest(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = { inner: value };
  return value;
}

/** Where JSON of any kind is welcome, only what is no JSON is wrong. */
const ANY_JSON = new Set(['input', 'page', 'nextCursor', 'lastCommittedCursor']);
const NO_JSON = new Set([
  'a lone surrogate',
  'NaN',
  'an object with __proto__',
  'an object 70 levels deep',
  'a function',
]);

function* inputsOf(call: CallName): Generator<readonly [field: string, extreme: string, input: unknown]> {
  const base: Readonly<Record<string, unknown>> = { ...INPUTS[call] };
  for (const field of Object.keys(base)) {
    for (const [extreme, value] of EXTREMES) {
      if (ANY_JSON.has(field) && !NO_JSON.has(extreme)) continue;
      yield [field, extreme, { ...base, [field]: value }];
    }
  }
  yield ['(an unknown key)', 'present', { ...base, unknown: 1 }];
}

describe('extreme values', () => {
  test('the list of inputs names every call', () => {
    expect(Object.keys(INPUTS).toSorted()).toEqual(Object.keys(CALLS).toSorted());
  });

  test.each(Object.keys(CALLS) as CallName[])(
    '%s refuses each in each field and changes nothing',
    async (call) => {
      const { send, ask, dump, openWorkspace, close } = await setup();
      await openWorkspace();
      await ask('permits.issue', { ...INPUTS['permits.issue'], operationClass: 'push' });
      const before = dump();
      const wrong: string[] = [];
      for (const [field, extreme, input] of inputsOf(call)) {
        const [reply] = await send([[call, input]]);
        const code = reply?.ok === false ? reply.error.code : 'ok';
        const isTyped = code === 'INVALID_INPUT' || (code ?? '').startsWith('SYNC_COORDINATOR_');
        if (!isTyped || dump() !== before) wrong.push(`${field}: ${extreme} → ${String(code)}`);
      }
      expect(wrong).toEqual([]);
      close();
    },
  );
});
