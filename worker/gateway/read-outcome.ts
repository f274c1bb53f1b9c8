import { parseCallId } from '../../src/domain/call-id';
import type { CallOutcome } from '../../src/protocol/call';
import type { CallInput } from '../../src/protocol/surface';
import type { CallContext } from './call-context';

/**
 * What became of a call, by its id. A call that left no receipt took no effect: what it would have written goes with
 * its receipt, and the writer has it no more. It cannot come later either, because its tab has ended it.
 */
export function readOutcome(
  { receipts, isUnderWay }: CallContext,
  { callId }: CallInput<'calls.readOutcome'>,
): CallOutcome {
  const id = parseCallId(callId);
  if (id === undefined || id.kind === 'row') return { status: 'unknown' };
  const receipt = receipts.find(callId);
  if (receipt !== undefined) return { status: 'done', value: receipt.value ?? null };
  if (isUnderWay(callId)) return { status: 'pending' };
  const isForgotten = id.kind === 'receipt' && receipts.mayHaveForgotten(id.madeAt);
  return { status: isForgotten ? 'unknown' : 'not-executed' };
}
