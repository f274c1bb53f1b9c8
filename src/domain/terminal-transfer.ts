import type { CoordinatorState, RequestedBy, TerminalTransfer } from './coordinator-state';
import { OWNER_MODES, TRANSFER_PHASES } from './coordinator-vocabulary';
import type { Json } from './json';
import { TRANSFERS, isPastDraining } from './transfer-machine';

/** How a transfer that is under way ends, seen from the state it leaves; null where the state shows none. */
export function toTerminalTransfer(
  state: CoordinatorState,
  completedAt: string,
  failure: { readonly errorCode: string } | null,
): TerminalTransfer | null {
  const { acceptedTransferCommandId, transferTargetMode, transferPhase, coordinatorGeneration } = state;
  if (acceptedTransferCommandId === null || transferTargetMode === null || transferPhase === null)
    return null;
  const sourceGeneration = isPastDraining(transferPhase) ? coordinatorGeneration - 1 : coordinatorGeneration;
  return {
    commandId: acceptedTransferCommandId,
    status: failure === null ? 'succeeded' : 'failed',
    sourceMode: TRANSFERS[transferTargetMode].sourceMode,
    targetMode: transferTargetMode,
    sourceGeneration,
    targetGeneration: sourceGeneration + 1,
    completedAt,
    errorCode: failure === null ? null : failure.errorCode,
    errorPhase: failure === null ? null : transferPhase,
  };
}

/** A stored record of a transfer's end, or null where the full shape is not there. */
export function parseTerminalTransfer(value: Json): TerminalTransfer | null {
  return isTerminalTransfer(value) ? value : null;
}

function isTerminalTransfer(value: unknown): value is TerminalTransfer {
  if (!isRecord(value)) return false;
  return (
    isText(value['commandId']) &&
    (value['status'] === 'succeeded' || value['status'] === 'failed') &&
    isOneOf(OWNER_MODES, value['sourceMode']) &&
    isOneOf(OWNER_MODES, value['targetMode']) &&
    Number.isSafeInteger(value['sourceGeneration']) &&
    Number.isSafeInteger(value['targetGeneration']) &&
    isText(value['completedAt']) &&
    (value['errorCode'] === null || typeof value['errorCode'] === 'string') &&
    (value['errorPhase'] === null || isOneOf(TRANSFER_PHASES, value['errorPhase']))
  );
}

/** Who asked, or null where user or tenant is not there. */
export function parseRequestedBy(value: Json): RequestedBy | null {
  if (!isRecord(value)) return null;
  const { userId, tenantId } = value;
  return isText(userId) && isText(tenantId) ? { userId, tenantId } : null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isOneOf(set: readonly string[], value: unknown): boolean {
  return typeof value === 'string' && set.includes(value);
}
