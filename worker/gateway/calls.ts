/** Who answers which call: the other half of `protocol/surface`. All of it synchronous, inside the scheduler's turn. */
import type { CallInput, CallName, CallOutput } from '../../src/protocol/surface';
import { runMutation, runQuery } from './app-calls';
import type { CallContext } from './call-context';
import {
  abandonPermits,
  applyPull,
  applyPush,
  beginPull,
  beginPush,
  readLastPull,
  recordOutcomes,
  startRequest,
} from './gateway-calls';
import { completeLocalCommit, enterLocalCommit, issuePermit, withInstance } from './permit-calls';
import { readOutcome } from './read-outcome';
import { openWorkspace } from './workspace-calls';

/** The others are the port's own: they never come to the scheduler. */
export type ScheduledCall = Exclude<CallName, 'calls.cancel' | 'calls.ping' | 'writer.handOver'>;

type Answers = {
  readonly [C in ScheduledCall]: (context: CallContext, input: CallInput<C>) => CallOutput<C>;
};

const ANSWERS: Answers = {
  'calls.readOutcome': readOutcome,
  'app.query': runQuery,
  'app.mutate': runMutation,
  'coordinator.readState': ({ stores }) => stores.coordinator.readOrCreateState(),
  'workspaces.open': openWorkspace,
  'permits.issue': issuePermit,
  'permits.transition': (context, input) => context.stores.permits.transition(withInstance(context, input)),
  'permits.enterLocalCommit': enterLocalCommit,
  'permits.completeLocalCommit': completeLocalCommit,
  'permits.settleInterruptedLocalCommit': (context, input) =>
    context.stores.permits.settleInterruptedLocalCommit(input),
  'permits.release': (context, input) => context.stores.permits.release(withInstance(context, input)),
  'permits.acknowledgeNonApplyingCompletion': (context, input) =>
    context.stores.permits.acknowledgeNonApplyingCompletion(withInstance(context, input)),
  'permits.abandonPermit': (context, input) =>
    context.stores.permits.abandonPermit(withInstance(context, input)),
  'permits.renew': (context, input) => context.stores.permits.renew(withInstance(context, input)),
  'permits.read': ({ stores }, { permitId }) => stores.permits.read(permitId),
  'permits.summarize': ({ stores }, { workspaceId }) => stores.permits.summarize(workspaceId),
  'permits.inspectGenerationDrain': ({ stores }, scope) => stores.permits.inspectGenerationDrain(scope),
  'permits.listOpenRecoveryObligations': ({ stores }, { workspaceId }) =>
    stores.permits.listOpenRecoveryObligations(workspaceId),
  'gateway.readLastPull': readLastPull,
  'gateway.beginPull': beginPull,
  'gateway.beginPush': beginPush,
  'gateway.startRequest': startRequest,
  'gateway.recordOutcomes': recordOutcomes,
  'gateway.applyPull': applyPull,
  'gateway.applyPush': applyPush,
  'gateway.abandon': abandonPermits,
};

/** Runs one call whose input fits its schema. */
export function answerCall<C extends ScheduledCall>(
  context: CallContext,
  call: C,
  input: CallInput<C>,
): CallOutput<C> {
  return ANSWERS[call](context, input);
}
