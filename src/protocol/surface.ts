/** Everything a tab can ask of the writer, on one screen. `worker/gateway/schemas` checks the inputs, `calls` answers. */
import type { CoordinatorState, RequestedBy } from '../domain/coordinator-state';
import type { OwnerMode } from '../domain/coordinator-vocabulary';
import type { Json } from '../domain/json';
import type * as P from '../domain/permit';
import type { Obligation } from '../domain/recovery-obligation';
import type { CallOutcome } from './call';
import type * as G from './gateway-calls';

interface Call<Input, Output> {
  readonly input: Input;
  readonly output: Output;
}

/** A store input from a tab: without a server instance id the present writer's is meant. */
type FromTab<T extends { readonly serverInstanceId: string }> = Omit<T, 'serverInstanceId' | 'holderId'> & {
  readonly serverInstanceId?: string | undefined;
};
type TabFence = FromTab<P.Fence>;

export interface WriterSurface {
  'calls.cancel': Call<{ readonly callIds: readonly string[] }, null>;
  'calls.ping': Call<Record<string, never>, null>;
  'calls.readOutcome': Call<{ readonly callId: string }, CallOutcome>;

  'writer.handOver': Call<Record<string, never>, null>;

  'app.query': Call<
    { readonly handler: string; readonly input: Json; readonly workspaceId: string | null },
    unknown
  >;
  'app.mutate': Call<
    { readonly handler: string; readonly input: Json; readonly workspaceId: string | null },
    unknown
  >;

  'coordinator.readState': Call<Record<string, never>, CoordinatorState>;
  'workspaces.open': Call<
    { readonly workspaceId: string; readonly principal: RequestedBy },
    CoordinatorState
  >;

  'permits.issue': Call<FromTab<P.IssueInput>, P.Permit>;
  'permits.transition': Call<FromTab<P.TransitionInput>, P.Permit>;
  'permits.enterLocalCommit': Call<TabFence, P.Permit>;
  'permits.completeLocalCommit': Call<TabFence, P.Permit>;
  'permits.settleInterruptedLocalCommit': Call<P.SettleInterruptedInput, P.Permit>;
  'permits.release': Call<TabFence, P.Permit>;
  'permits.acknowledgeNonApplyingCompletion': Call<TabFence & { readonly ownerMode: OwnerMode }, P.Permit>;
  'permits.abandonPermit': Call<FromTab<P.AbandonInput>, P.Permit>;
  'permits.renew': Call<FromTab<P.RenewInput>, P.Permit>;
  'permits.read': Call<{ readonly permitId: string }, P.Permit | null>;
  'permits.summarize': Call<{ readonly workspaceId: string }, P.PermitSummary>;
  'permits.inspectGenerationDrain': Call<P.DrainScope, P.DrainInspection>;
  'permits.listOpenRecoveryObligations': Call<{ readonly workspaceId: string }, readonly Obligation[]>;

  'gateway.readLastPull': Call<G.StreamScope, G.AppliedPull | null>;
  'gateway.beginPull': Call<G.BeginPullInput, P.Permit>;
  'gateway.beginPush': Call<G.BeginPushInput, readonly G.BegunOperation[]>;
  'gateway.startRequest': Call<G.StartRequestInput, null>;
  'gateway.recordOutcomes': Call<G.RecordOutcomesInput, null>;
  'gateway.applyPull': Call<G.ApplyPullInput, G.Applied>;
  'gateway.applyPush': Call<G.ApplyPushInput, G.Applied>;
  'gateway.abandon': Call<G.AbandonPermitsInput, null>;
}

export type CallName = keyof WriterSurface;
export type CallInput<C extends CallName> = WriterSurface[C]['input'];
export type CallOutput<C extends CallName> = WriterSurface[C]['output'];

/**
 * How a call is run: `control` at once, outside the queue; `read` between commits; `write` in a group commit.
 * How a repeat after a takeover is answered: from the `row` the first run left, or from a `receipt` written with it.
 */
export interface CallKind {
  readonly kind: 'control' | 'read' | 'write';
  readonly repeat?: 'row' | 'receipt';
}

const read = { kind: 'read' } as const;
const byRow = { kind: 'write', repeat: 'row' } as const;
const byReceipt = { kind: 'write', repeat: 'receipt' } as const;

export const CALLS = {
  'calls.cancel': { kind: 'control' },
  'calls.ping': { kind: 'control' },
  'calls.readOutcome': read,
  'writer.handOver': { kind: 'control' },
  'app.query': read,
  'app.mutate': byReceipt,
  'coordinator.readState': read,
  'workspaces.open': byRow,
  'permits.issue': byRow,
  'permits.transition': byRow,
  'permits.enterLocalCommit': byRow,
  'permits.completeLocalCommit': byReceipt,
  'permits.settleInterruptedLocalCommit': byRow,
  'permits.release': byReceipt,
  'permits.acknowledgeNonApplyingCompletion': byReceipt,
  'permits.abandonPermit': byReceipt,
  'permits.renew': byReceipt,
  'permits.read': read,
  'permits.summarize': read,
  'permits.inspectGenerationDrain': read,
  'permits.listOpenRecoveryObligations': read,
  'gateway.readLastPull': read,
  'gateway.beginPull': byRow,
  'gateway.beginPush': byRow,
  'gateway.startRequest': byRow,
  'gateway.recordOutcomes': byReceipt,
  'gateway.applyPull': byReceipt,
  'gateway.applyPush': byReceipt,
  'gateway.abandon': byRow,
} as const satisfies Record<CallName, CallKind>;

export function isCallName(name: string): name is CallName {
  return Object.hasOwn(CALLS, name);
}
