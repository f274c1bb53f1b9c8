import { expect, test } from 'vitest';
import type { CallLayer } from '../../src/client/call-layer';
import type { GatewayContext } from '../../src/client/gateway/gateway-context';
import { pull } from '../../src/client/gateway/pull';
import { push } from '../../src/client/gateway/push';
import { LIBRARY_CODES, STORE_CODES } from '../../src/domain/error-codes';
import { TidelockError } from '../../src/domain/tidelock-error';
import { browserPlatform } from '../../src/platform/browser-platform';

/** A client whose writer never records an outcome: the call was the last thing that two writers did. */
function setup() {
  const errors: Record<string, TidelockError> = {
    'gateway.recordOutcomes': new TidelockError(LIBRARY_CODES.CALL_CRASHED_WRITER, 'Two writers died.'),
    'gateway.applyPull': new TidelockError(STORE_CODES.PERMIT_STATE_CONFLICT, 'It is in flight.'),
    'gateway.applyPush': new TidelockError(STORE_CODES.PERMIT_STATE_CONFLICT, 'It is in flight.'),
  };
  const answers: Record<string, unknown> = {
    'gateway.beginPull': { permitId: 'p-1', lastCommittedCursor: null, holderId: 's-1' },
    'gateway.beginPush': [
      {
        operationIdentity: 'o-1',
        status: 'granted',
        permit: { permitId: 'p-1', operationIdentity: 'o-1', holderId: 's-1' },
      },
    ],
  };
  const invoke = (call: string): Promise<unknown> => {
    const error = errors[call];
    return error === undefined ? Promise.resolve(answers[call] ?? null) : Promise.reject(error);
  };
  const locks = {
    request: (_name: string, _options: LockOptions, callback: (lock: unknown) => unknown) => callback({}),
  };
  const context: GatewayContext = {
    platform: Object.create(browserPlatform, { locks: { value: locks } }),
    calls: { invoke } as unknown as CallLayer, // all that is used of it
    db: 'notes',
    mustGetWorkspaceId: () => 'w-1',
    getSession: () => ({
      ended: new AbortController().signal,
      sessionId: 's-1',
      isClosed: () => false,
      isOutdated: () => false,
    }),
  };
  return context;
}

test('a pull whose outcome could not be recorded fails for that, not for the apply that it left impossible', async () => {
  const request = () => Promise.resolve({ disposition: 'accepted', page: [], nextCursor: 1 } as const);
  await expect(pull(setup(), { apply: 'notes', request })).rejects.toMatchObject({
    code: 'CALL_CRASHED_WRITER',
  });
});

test('and so does a push', async () => {
  const operations = [{ identity: 'o-1', payload: {} }];
  const request = () => Promise.resolve({ results: [{ identity: 'o-1', disposition: 'accepted' }] } as const);
  await expect(push(setup(), { operations, request })).rejects.toMatchObject({ code: 'CALL_CRASHED_WRITER' });
});
