import { LIBRARY_CODES } from '../../src/domain/error-codes';
import { TidelockError } from '../../src/domain/tidelock-error';
import type { CallEnvelope } from '../../src/protocol/call';
import { MAX_CALLS_PER_MESSAGE } from '../../src/protocol/limits';
import { measureInput } from '../../src/protocol/measure-input';
import { isCallName, type CallInput, type CallName } from '../../src/protocol/surface';
import { toInvalidInput } from '../app/parse-handler-input';
import { CALL_SCHEMAS, ENVELOPE_SCHEMA } from './schemas';

/** @throws TidelockError INVALID_INPUT for what is no array of envelopes at all */
export function assertEnvelopes(data: unknown): readonly unknown[] {
  if (Array.isArray(data) && data.length > 0 && data.length <= MAX_CALLS_PER_MESSAGE) return data;
  throw new TidelockError(
    LIBRARY_CODES.INVALID_INPUT,
    `A message carries 1 to ${MAX_CALLS_PER_MESSAGE} calls.`,
    {
      details: { path: '', problem: 'not an array of that length' },
    },
  );
}

/** The envelope without looking into its input. @throws TidelockError INVALID_INPUT, UNKNOWN_HANDLER */
export function parseEnvelope(data: unknown): CallEnvelope {
  const parsed = ENVELOPE_SCHEMA.safeParse(data);
  if (!parsed.success) throw toInvalidInput(parsed.error);
  const { call, ...rest } = parsed.data;
  if (isCallName(call)) return { call, ...rest };
  throw new TidelockError(LIBRARY_CODES.UNKNOWN_HANDLER, `The writer knows no call "${call}".`, {
    details: { handler: call },
  });
}

/** @throws TidelockError INVALID_INPUT with the path, PAYLOAD_TOO_LARGE */
export function parseCallInput<C extends CallName>(call: C, input: unknown): CallInput<C> {
  measureInput(input);
  const parsed = CALL_SCHEMAS[call].safeParse(input);
  if (!parsed.success) throw toInvalidInput(parsed.error);
  return parsed.data; // CALL_SCHEMAS is checked against the surface, entry by entry
}
