import type { StoreCode } from './error-codes';
import { TidelockError } from './tidelock-error';

/** What was wanted and what was found: the `details` of every refusal by a store. */
export interface Mismatch {
  readonly expected: unknown;
  readonly actual: unknown;
}

/** Ends the call with one of the stores' codes; everything the call has written is undone. */
export function refuse(code: StoreCode, message: string, mismatch: Mismatch): never {
  throw new TidelockError(code, message, { details: { ...mismatch } });
}
