import { describe, expect, test } from 'vitest';
import { CALLS } from '../../src/protocol/surface';
import { DEADLINE, PRINCIPAL, setup } from './setup';

const FENCE = { permitId: 'p-1', workspaceId: 'w-1', coordinatorGeneration: 1 };

/** For every call, inputs that are wrong in one place each, and the place. */
const WRONG: Readonly<Record<string, readonly (readonly [input: unknown, path: string])[]>> = {
  'calls.cancel': [[{ callIds: 'all' }, 'callIds']],
  'gateway.startRequest': [[{ permitIds: [''] }, 'permitIds[0]']],
  'app.query': [
    [{ handler: 7, input: {}, workspaceId: null }, 'handler'],
    [{ handler: 'notes', workspaceId: null }, 'input'],
    [{ handler: 'x'.repeat(201), input: {}, workspaceId: null }, 'handler'],
  ],
  'app.mutate': [
    [{ handler: 'addNote', input: {} }, 'workspaceId'],
    [{ handler: '', input: {}, workspaceId: null }, 'handler'],
  ],
  'calls.ping': [[{ extra: 1 }, '']],
  'writer.handOver': [[{ extra: 1 }, '']],
  'calls.readOutcome': [[{ callId: '' }, 'callId']],
  'coordinator.readState': [[{ extra: 1 }, '']],
  'workspaces.open': [
    [{ workspaceId: 'w-1' }, 'principal'],
    [{ workspaceId: '', principal: PRINCIPAL }, 'workspaceId'],
    [{ workspaceId: 'w'.repeat(201), principal: PRINCIPAL }, 'workspaceId'],
    [{ workspaceId: 'w-1', principal: { userId: 'u-1' } }, 'principal.tenantId'],
    [{ workspaceId: 'w-1', principal: { ...PRINCIPAL, admin: true } }, 'principal'],
  ],
  'permits.issue': [
    [{ ...FENCE, operationClass: 'steal', deadlineAt: DEADLINE }, 'operationClass'],
    [{ ...FENCE, operationClass: 'pull' }, 'deadlineAt'],
    [
      { ...FENCE, coordinatorGeneration: '1', operationClass: 'pull', deadlineAt: DEADLINE },
      'coordinatorGeneration',
    ],
    [
      { ...FENCE, coordinatorGeneration: 2 ** 53, operationClass: 'pull', deadlineAt: DEADLINE },
      'coordinatorGeneration',
    ],
    [{ ...FENCE, holderId: 'tab-2', operationClass: 'pull', deadlineAt: DEADLINE }, ''],
  ],
  'permits.transition': [
    [{ ...FENCE, expectedState: 'asleep', nextState: 'gateway-in-flight' }, 'expectedState'],
  ],
  'permits.enterLocalCommit': [[{ ...FENCE, permitId: null }, 'permitId']],
  'permits.completeLocalCommit': [[{ ...FENCE, workspaceId: 1 }, 'workspaceId']],
  'permits.settleInterruptedLocalCommit': [
    [{ workspaceId: 'w-1', permitId: 'p', outcome: 'perhaps', evidence: null }, 'outcome'],
    [{ workspaceId: 'w-1', permitId: 'p', outcome: 'committed' }, 'evidence'],
  ],
  'permits.release': [[{}, 'permitId']],
  'permits.acknowledgeNonApplyingCompletion': [[{ ...FENCE, ownerMode: 'nobody' }, 'ownerMode']],
  'permits.abandonPermit': [[{ ...FENCE, errorCode: 5 }, 'errorCode']],
  'permits.renew': [[{ ...FENCE, deadlineAt: 5 }, 'deadlineAt']],
  'permits.read': [[{ permitId: ['p'] }, 'permitId']],
  'permits.summarize': [[{}, 'workspaceId']],
  'permits.inspectGenerationDrain': [
    [{ workspaceId: 'w-1', coordinatorGeneration: 1, limit: 'ten' }, 'limit'],
  ],
  'permits.listOpenRecoveryObligations': [[{ workspaceId: null }, 'workspaceId']],
  'gateway.readLastPull': [[{ workspaceId: null, stream: 'main' }, 'workspaceId']],
  'gateway.beginPull': [[{ permitId: 'p', workspaceId: null, stream: '', deadlineAt: DEADLINE }, 'stream']],
  'gateway.beginPush': [
    [{ workspaceId: null, stream: 'main', deadlineAt: DEADLINE, operations: [] }, 'operations'],
    [
      {
        workspaceId: null,
        stream: 'main',
        deadlineAt: DEADLINE,
        operations: [{ permitId: 'p', operationIdentity: ' o' }],
      },
      'operations[0].operationIdentity',
    ],
  ],
  'gateway.recordOutcomes': [
    [{ outcomes: [{ permitId: 'p', disposition: 'maybe', errorCode: null }] }, 'outcomes[0].disposition'],
  ],
  'gateway.applyPull': [[{ permitId: 'p', handler: null, page: null }, 'nextCursor']],
  'gateway.applyPush': [[{ permitIds: [], handler: null, page: null }, 'permitIds']],
  'gateway.abandon': [[{ permitIds: ['p'], errorCode: '' }, 'errorCode']],
};

describe('the boundary', () => {
  test('the list of wrong inputs names every call', () => {
    expect(Object.keys(WRONG).toSorted()).toEqual(Object.keys(CALLS).toSorted());
  });

  test.each(
    Object.entries(WRONG).flatMap(([call, cases]) =>
      cases.map(([input, path]) => [call, path, input] as const),
    ),
  )('%s with a fault at "%s" is INVALID_INPUT and changes nothing', async (call, path, input) => {
    const { fail, dump, openWorkspace, close } = await setup();
    await openWorkspace();
    const before = dump();
    expect(await fail(call, input)).toMatchObject({ code: 'INVALID_INPUT', details: { path } });
    expect(dump()).toBe(before);
    close();
  });

  test.each(Object.keys(CALLS))('%s with a value that is no JSON is INVALID_INPUT', async (call) => {
    const { fail, close } = await setup();
    for (const input of [
      undefined,
      { a: () => 1 },
      { a: NaN },
      JSON.parse('{"__proto__":{}}'),
      { a: '\ud800' },
      new Map(),
    ]) {
      expect(await fail(call, input)).toMatchObject({ code: 'INVALID_INPUT' });
    }
    close();
  });

  test('a message past 8 MiB is PAYLOAD_TOO_LARGE', async () => {
    const { fail, close } = await setup();
    expect(
      await fail('app.query', {
        handler: 'notes',
        input: { text: 'x'.repeat(8 * 1024 * 1024) },
        workspaceId: null,
      }),
    ).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    close();
  });

  test.each(['app.steal', 'toString', '__proto__', 'constructor'])(
    'a call named "%s" is UNKNOWN_HANDLER',
    async (call) => {
      const { fail, close } = await setup();
      expect(await fail(call, {})).toMatchObject({ code: 'UNKNOWN_HANDLER' });
      close();
    },
  );

  test.each(['missing', 'toString', '__proto__', 'constructor'])(
    'a handler named "%s" is UNKNOWN_HANDLER and names those there are',
    async (handler) => {
      const { fail, openWorkspace, close } = await setup();
      await openWorkspace();
      expect(await fail('app.mutate', { handler, input: {}, workspaceId: 'w-1' })).toMatchObject({
        code: 'UNKNOWN_HANDLER',
        details: { group: 'mutation', handler },
      });
      expect(await fail('app.query', { handler, input: {}, workspaceId: null })).toMatchObject({
        code: 'UNKNOWN_HANDLER',
      });
      close();
    },
  );

  test('what is no array of calls is refused whole', async () => {
    const { portOf, close } = await setup();
    const port = portOf('tab-1');
    await expect(port.invoke('calls')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(port.invoke(Array(257).fill({}))).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    close();
  });

  test('a call past its deadline is not run', async () => {
    const { portOf, notes, openWorkspace, close } = await setup();
    await openWorkspace();
    const port = portOf('tab-1');
    const input = { handler: 'addNote', input: { id: 'n', text: 't' }, workspaceId: null };
    const [reply] = await port.invoke([
      { callId: 'c', call: 'app.mutate', input, deadlineAt: 1, attempt: 1, deaths: 0, diedEpoch: null },
    ]);
    expect(reply).toMatchObject({
      ok: false,
      error: { code: 'DEADLINE_EXCEEDED', details: { outcome: 'not-executed' } },
    });
    expect(notes()).toEqual([]);
    close();
  });
});
