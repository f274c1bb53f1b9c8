import type { TideOf } from 'tidelock';
import type { App } from './ledger.worker';

type Client = TideOf<App>;

/** What types forbid, asked by somebody without them. */
function untyped(client: Client): {
  mutate(name: string, input: unknown, options?: unknown): Promise<unknown>;
  query(name: string, input: unknown, options?: unknown): Promise<unknown>;
} {
  const anything: unknown = client;
  return anything as ReturnType<typeof untyped>; // as if it had none
}

function issue(client: Client, permitId: string, changes: object = {}): Promise<unknown> {
  return client.permits.issue({
    permitId,
    workspaceId: 'w-1',
    coordinatorGeneration: client.status.generation,
    operationClass: 'pull',
    deadlineAt: new Date(Date.now() + 600_000).toISOString(),
    ...changes,
  });
}

function fence(client: Client, permitId: string) {
  return { permitId, workspaceId: 'w-1', coordinatorGeneration: client.status.generation };
}

const accepted = { disposition: 'accepted' as const, page: [], nextCursor: 1 };

/** A call for each error that a caller can bring about, named by what is wrong with it. */
export const ERRORS: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  'unknown mutation': (client) => untyped(client).mutate('nothing', {}),
  'unknown query': (client) => untyped(client).query('nothing', {}),
  'wrong type': (client) => untyped(client).mutate('append', { tab: 5, n: 0 }),
  'a function as input': (client) => untyped(client).mutate('append', { tab: () => 1, n: 0 }),
  'not a number': (client) => untyped(client).mutate('append', { tab: 'x', n: Number.NaN }),
  'too large': (client) => client.mutate('append', { tab: 'x'.repeat(9 * 1024 * 1024), n: 0 }),
  'too deep': (client) => {
    let deep: unknown = 0;
    for (let level = 0; level < 100; level++) deep = [deep];
    return untyped(client).query('count', deep);
  },
  'bad timeout': (client) => client.query('count', {}, { timeoutMs: -1 }),
  'mutation throws': (client) => client.mutate('throwing', { tab: 'x', n: 0 }),
  'query throws': (client) => client.query('throwing', {}),
  'mutation returns a promise': (client) => client.mutate('returningPromise', {}),
  'query returns a promise': (client) => client.query('returningPromise', {}),
  'mutation commits': (client) => client.mutate('committing', {}),
  'mutation breaks a constraint and rolls back': (client) => client.mutate('breakingConstraint', {}),
  'query writes': (client) => client.query('writing', {}),
  'out of time': (client) => client.query('spin', { ms: 300 }, { timeoutMs: 50 }),
  aborted: (client) => client.query('spin', { ms: 300 }, { signal: AbortSignal.timeout(50) }),
  'another workspace': (client) => client.workspaces.open('w-2', { userId: 'u-1', tenantId: 't-1' }),
  'apply throws': (client) =>
    client.gateway.pull({ stream: 's-1', apply: 'throwing', request: () => Promise.resolve(accepted) }),
  'request fails': (client) =>
    client.gateway.pull({
      stream: 's-2',
      apply: 'append',
      request: (): Promise<never> => Promise.reject(new TypeError('Failed to fetch')),
    }),
  'push of nothing that can be': (client) =>
    client.gateway.push({ operations: [null as never], request: () => Promise.resolve({ results: [] }) }),
  'permit of another generation': (client) => issue(client, 'e-1', { coordinatorGeneration: 99 }),
  'permit of another workspace': (client) => issue(client, 'e-2', { workspaceId: 'w-2' }),
  'permit that is over already': (client) => issue(client, 'e-3', { deadlineAt: '2020-01-01T00:00:00Z' }),
  'permit id used for another': async (client) => {
    await issue(client, 'e-4');
    await issue(client, 'e-4', { operationClass: 'handshake' });
  },
  'no such permit': (client) => client.permits.release(fence(client, 'e-none')),
  'permit in another state': async (client) => {
    await issue(client, 'e-5');
    await client.permits.completeLocalCommit(fence(client, 'e-5'));
  },
  'permit of another writer': async (client) => {
    await issue(client, 'e-6');
    await client.permits.release({ ...fence(client, 'e-6'), serverInstanceId: '99.never' });
  },
  'bad limit': (client) =>
    client.permits.inspectGenerationDrain({
      workspaceId: 'w-1',
      coordinatorGeneration: client.status.generation,
      limit: 0,
    }),
};
