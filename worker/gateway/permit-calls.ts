import { STORE_CODES } from '../../src/domain/error-codes';
import type { Fence, Permit } from '../../src/domain/permit';
import { TidelockError } from '../../src/domain/tidelock-error';
import type { CallInput } from '../../src/protocol/surface';
import type { CallContext } from './call-context';

interface TabFence {
  readonly serverInstanceId?: string | undefined;
}

/** A tab that names no instance means the present writer's; one that names another is left to the store to refuse. */
export function withInstance<T extends TabFence>(
  { serverInstanceId }: CallContext,
  input: T,
): T & { readonly serverInstanceId: string } {
  return { ...input, serverInstanceId: input.serverInstanceId ?? serverInstanceId };
}

/** Issues for the tab that asks: it is the holder. No permit is ever born under a dead writer's instance. */
export function issuePermit(context: CallContext, input: CallInput<'permits.issue'>): Permit {
  const bound = withInstance(context, input);
  if (bound.serverInstanceId !== context.serverInstanceId) {
    throw new TidelockError(
      STORE_CODES.PERMIT_SERVER_MISMATCH,
      "The server instance id is not the present writer's.",
      {
        details: { expected: context.serverInstanceId, actual: bound.serverInstanceId },
      },
    );
  }
  return context.stores.permits.issue({ ...bound, holderId: context.sessionId });
}

/**
 * Enters local commit. Asked again of the next writer, where the first had done it: the row answers, as no store moves a
 * permit in local commit to another instance.
 */
export function enterLocalCommit(context: CallContext, input: CallInput<'permits.enterLocalCommit'>): Permit {
  return (
    findInterrupted(context, input) ?? context.stores.permits.enterLocalCommit(withInstance(context, input))
  );
}

/** Completes local commit. Where the writer died meanwhile, the word of the tab that holds the permit settles it. */
export function completeLocalCommit(
  context: CallContext,
  input: CallInput<'permits.completeLocalCommit'>,
): Permit {
  const { permits } = context.stores;
  const interrupted = findInterrupted(context, input);
  if (interrupted === undefined) return permits.completeLocalCommit(withInstance(context, input));
  const { permitId, workspaceId, serverInstanceId } = interrupted;
  return permits.settleInterruptedLocalCommit({
    permitId,
    workspaceId,
    outcome: 'committed',
    evidence: { version: 1, kind: 'completed-by-holder', interrupted: serverInstanceId },
  });
}

/** This tab's permit in local commit under a writer that is gone, if that is what the fence means. */
function findInterrupted(
  { stores, sessionId, serverInstanceId: present }: CallContext,
  {
    permitId,
    workspaceId,
    coordinatorGeneration,
    serverInstanceId = present,
  }: CallInput<'permits.completeLocalCommit'>,
): Permit | undefined {
  const permit = stores.permits.read(permitId);
  if (permit?.state !== 'local-commit-entered' || permit.holderId !== sessionId) return undefined;
  const isMeant =
    permit.workspaceId === workspaceId &&
    permit.coordinatorGeneration === coordinatorGeneration &&
    (serverInstanceId === present || serverInstanceId === permit.serverInstanceId);
  return isMeant && permit.serverInstanceId !== present ? permit : undefined;
}

/** A permit that this tab holds. @throws TidelockError PERMIT_NOT_FOUND, PERMIT_IDENTITY_CONFLICT */
export function mustReadOwnPermit({ stores, sessionId }: CallContext, permitId: string): Permit {
  const permit = stores.permits.read(permitId);
  if (permit === null) {
    throw new TidelockError(STORE_CODES.PERMIT_NOT_FOUND, `No permit "${permitId}".`, {
      details: { permitId },
    });
  }
  if (permit.holderId !== sessionId) {
    throw new TidelockError(
      STORE_CODES.PERMIT_IDENTITY_CONFLICT,
      `Permit "${permitId}" belongs to another tab.`,
      {
        details: { permitId, expected: sessionId, actual: permit.holderId },
      },
    );
  }
  return permit;
}

/** The fence of a permit under the present writer: adoption has given it this instance, or it is not active any more. */
export function fenceOf(
  { serverInstanceId }: CallContext,
  { permitId, workspaceId, coordinatorGeneration }: Permit,
): Fence {
  return { permitId, workspaceId, coordinatorGeneration, serverInstanceId };
}
