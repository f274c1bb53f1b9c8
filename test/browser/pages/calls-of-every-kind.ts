import type { TideOf } from 'tidelock';
import type { App } from './ledger.worker';

export interface Ledger {
  readonly tide: TideOf<App>;
  /** Of every key, so that two tabs' calls do not meet. */
  readonly prefix: string;
}

interface KindOfCall {
  /** What must be there before the call can be made. */
  readonly prepare?: (ledger: Ledger, key: string) => Promise<unknown>;
  readonly call: (ledger: Ledger, key: string) => Promise<unknown>;
  /** What one call leaves: an entry under its key, or a permit of that id in this state. */
  readonly leaves?: string;
  /** A writer that dies between its steps leaves the workspace blocked until the caller goes on: others fail meanwhile. */
  readonly blocks?: true;
}

const ACCEPTED = 'accepted' as const;

function fence({ tide }: Ledger, permitId: string) {
  return { permitId, workspaceId: 'w-1', coordinatorGeneration: tide.status.generation };
}

function inTenMinutes(): string {
  return new Date(Date.now() + 600_000).toISOString();
}

function issue(
  ledger: Ledger,
  permitId: string,
  operationClass: 'pull' | 'handshake' | 'local-apply' = 'pull',
): Promise<unknown> {
  const { tide } = ledger;
  return tide.permits.issue({ ...fence(ledger, permitId), operationClass, deadlineAt: inTenMinutes() });
}

function start(ledger: Ledger, permitId: string): Promise<unknown> {
  const states = { expectedState: 'issued-idle', nextState: 'gateway-in-flight' } as const;
  return ledger.tide.permits.transition({ ...fence(ledger, permitId), ...states });
}

async function shakeHands(ledger: Ledger, permitId: string): Promise<void> {
  await issue(ledger, permitId, 'handshake');
  await start(ledger, permitId);
  await ledger.tide.permits.transition({
    ...fence(ledger, permitId),
    expectedState: 'gateway-in-flight',
    nextState: 'gateway-complete-awaiting-apply',
    upstreamDisposition: ACCEPTED,
  });
}

/** One of each kind of call that a tab can make; a permit's id is the call's key. */
export const CALLS_OF_EVERY_KIND: Readonly<Record<string, KindOfCall>> = {
  mutate: {
    call: ({ tide }, key) => tide.mutate('append', { tab: key, n: 0 }),
    leaves: 'entry',
  },
  query: { call: ({ tide }) => tide.query('count', {}) },
  pull: {
    call: ({ tide }, key) =>
      tide.gateway.pull({
        stream: key,
        apply: 'append',
        request: () =>
          Promise.resolve({ disposition: ACCEPTED, page: [{ tab: key, n: 0 }], nextCursor: key }),
      }),
    leaves: 'entry',
  },
  push: {
    call: ({ tide }, key) =>
      tide.gateway.push({
        operations: [{ identity: key, payload: {} }],
        apply: 'append',
        request: () =>
          Promise.resolve({
            results: [{ identity: key, disposition: ACCEPTED }],
            page: [{ tab: key, n: 0 }],
          }),
      }),
    leaves: 'entry',
  },
  issue: { call: issue, leaves: 'issued-idle' },
  transition: { prepare: issue, call: start, leaves: 'gateway-in-flight' },
  renew: {
    prepare: issue,
    call: (ledger, key) => ledger.tide.permits.renew({ ...fence(ledger, key), deadlineAt: inTenMinutes() }),
    leaves: 'issued-idle',
  },
  release: {
    prepare: issue,
    call: (ledger, key) => ledger.tide.permits.release(fence(ledger, key)),
    leaves: 'released',
  },
  abandon: {
    prepare: issue,
    call: (ledger, key) => ledger.tide.permits.abandonPermit(fence(ledger, key)),
    leaves: 'abandoned-clean',
  },
  acknowledge: {
    prepare: shakeHands,
    call: (ledger, key) =>
      ledger.tide.permits.acknowledgeNonApplyingCompletion({
        ...fence(ledger, key),
        ownerMode: 'browser-gateway',
      }),
    leaves: 'released',
  },
  localCommit: {
    prepare: (ledger, key) => issue(ledger, key, 'local-apply'),
    call: async (ledger, key) => {
      await ledger.tide.permits.enterLocalCommit(fence(ledger, key));
      await ledger.tide.permits.completeLocalCommit(fence(ledger, key));
    },
    leaves: 'released',
    blocks: true,
  },
  open: { call: ({ tide }) => tide.workspaces.open('w-1', { userId: 'u-1', tenantId: 't-1' }) },
  read: { call: ({ tide }, key) => tide.permits.read(key) },
  summarize: { call: ({ tide }) => tide.permits.summarize('w-1') },
  inspectDrain: {
    call: ({ tide }) =>
      tide.permits.inspectGenerationDrain({
        workspaceId: 'w-1',
        coordinatorGeneration: tide.status.generation,
      }),
  },
  listObligations: { call: ({ tide }) => tide.permits.listOpenRecoveryObligations('w-1') },
};
