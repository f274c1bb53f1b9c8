/**
 * The shape of every call's input, checked where it comes through the port. Values that the stores have a code of
 * their own for (a deadline that cannot be read, an identity on the wrong class, a limit out of range) pass here.
 */
import { z } from 'zod';
import { OWNER_MODES } from '../../src/domain/coordinator-vocabulary';
import type { Json } from '../../src/domain/json';
import { OPERATION_CLASSES, PERMIT_STATES, UPSTREAM_DISPOSITIONS } from '../../src/domain/permit-vocabulary';
import { MAX_CALLS_PER_MESSAGE, MAX_ID_LENGTH, MAX_PUSH_OPERATIONS } from '../../src/protocol/limits';
import type { CallInput, CallName } from '../../src/protocol/surface';

const id = z.string().min(1).max(MAX_ID_LENGTH);
const name = z.string().min(1).max(MAX_ID_LENGTH);
/** Plain JSON was made sure of before, for the whole input. */
const json = z.custom<Json>((value) => value !== undefined, 'missing');
const generation = z.int().nonnegative();
const instant = z.string().max(64);
const identity = z
  .string()
  .min(1)
  .max(MAX_ID_LENGTH)
  .refine((text) => text.trim() === text, 'has white space around it');

const fence = {
  permitId: id,
  workspaceId: id,
  coordinatorGeneration: generation,
  serverInstanceId: id.optional(),
};

export const CALL_SCHEMAS = {
  'calls.cancel': z.strictObject({ callIds: z.array(id).max(MAX_CALLS_PER_MESSAGE) }),
  'calls.ping': z.strictObject({}),
  'calls.readOutcome': z.strictObject({ callId: id }),
  'writer.handOver': z.strictObject({}),
  'app.query': z.strictObject({ handler: name, input: json, workspaceId: id.nullable() }),
  'app.mutate': z.strictObject({ handler: name, input: json, workspaceId: id.nullable() }),
  'coordinator.readState': z.strictObject({}),
  'workspaces.open': z.strictObject({
    workspaceId: id,
    principal: z.strictObject({ userId: id, tenantId: id }),
  }),
  'permits.issue': z.strictObject({
    ...fence,
    permitId: id.nullish(),
    operationClass: z.enum(OPERATION_CLASSES),
    operationIdentity: id.nullish(),
    lastCommittedCursor: json.optional(),
    deadlineAt: instant,
    stream: name.optional(),
  }),
  'permits.transition': z.strictObject({
    ...fence,
    expectedState: z.enum(PERMIT_STATES),
    nextState: z.enum(PERMIT_STATES),
    operationIdentity: id.nullish(),
    upstreamDisposition: z.enum(UPSTREAM_DISPOSITIONS).nullish(),
    errorCode: name.nullish(),
  }),
  'permits.enterLocalCommit': z.strictObject(fence),
  'permits.completeLocalCommit': z.strictObject(fence),
  'permits.settleInterruptedLocalCommit': z.strictObject({
    workspaceId: id,
    permitId: id,
    outcome: z.enum(['committed', 'not-committed']),
    evidence: json,
  }),
  'permits.release': z.strictObject(fence),
  'permits.acknowledgeNonApplyingCompletion': z.strictObject({ ...fence, ownerMode: z.enum(OWNER_MODES) }),
  'permits.abandonPermit': z.strictObject({ ...fence, errorCode: name.nullish() }),
  'permits.renew': z.strictObject({ ...fence, deadlineAt: instant }),
  'permits.read': z.strictObject({ permitId: id }),
  'permits.summarize': z.strictObject({ workspaceId: id }),
  'permits.inspectGenerationDrain': z.strictObject({
    workspaceId: id,
    coordinatorGeneration: generation,
    limit: z.number().optional(),
  }),
  'permits.listOpenRecoveryObligations': z.strictObject({ workspaceId: id }),
  'gateway.readLastPull': z.strictObject({ workspaceId: id, stream: name }),
  'gateway.beginPull': z.strictObject({
    permitId: id,
    workspaceId: id.nullable(),
    stream: name,
    deadlineAt: instant,
  }),
  'gateway.beginPush': z.strictObject({
    workspaceId: id.nullable(),
    stream: name,
    deadlineAt: instant,
    operations: z
      .array(z.strictObject({ permitId: id, operationIdentity: identity }))
      .min(1)
      .max(MAX_PUSH_OPERATIONS),
  }),
  'gateway.startRequest': z.strictObject({ permitIds: z.array(id).min(1).max(MAX_PUSH_OPERATIONS) }),
  'gateway.recordOutcomes': z.strictObject({
    outcomes: z
      .array(
        z.strictObject({
          permitId: id,
          disposition: z.enum(['accepted', 'rejected', 'unknown']),
          errorCode: name.nullable(),
        }),
      )
      .min(1)
      .max(MAX_PUSH_OPERATIONS),
  }),
  'gateway.applyPull': z.strictObject({
    permitId: id,
    handler: name.nullable(),
    page: json,
    nextCursor: json,
  }),
  'gateway.applyPush': z.strictObject({
    permitIds: z.array(id).min(1).max(MAX_PUSH_OPERATIONS),
    handler: name.nullable(),
    page: json,
  }),
  'gateway.abandon': z.strictObject({
    permitIds: z.array(id).min(1).max(MAX_PUSH_OPERATIONS),
    errorCode: name,
  }),
} as const satisfies { readonly [C in CallName]: z.ZodType<CallInput<C>> };

/** An envelope without its input, which has a schema of its own. */
export const ENVELOPE_SCHEMA = z.strictObject({
  callId: id,
  call: z.string().max(MAX_ID_LENGTH),
  input: z.unknown(),
  deadlineAt: z.number(),
  attempt: z.int().positive(),
  deaths: z.int().nonnegative(),
  diedEpoch: z.int().nullable(),
});
