import { LIBRARY_CODES } from '../domain/error-codes';
import { refuseInput } from '../domain/refuse-input';
import { TidelockError } from '../domain/tidelock-error';
import { MAX_MESSAGE_BYTES } from './limits';
import { checkPlainJson } from './plain-json';

/**
 * About how many bytes the input of a call takes. Asked on both sides of the port: early in the tab, and again in the
 * writer, which trusts nobody.
 * @throws TidelockError INVALID_INPUT (path), PAYLOAD_TOO_LARGE
 */
export function measureInput(input: unknown): number {
  const { fault, sizeBytes } = checkPlainJson(input);
  if (fault !== null) refuseInput(fault.path, fault.problem);
  if (sizeBytes > MAX_MESSAGE_BYTES) {
    throw new TidelockError(
      LIBRARY_CODES.PAYLOAD_TOO_LARGE,
      `The call carries ${sizeBytes} bytes; at most ${MAX_MESSAGE_BYTES} fit.`,
      { details: { path: '', limitBytes: MAX_MESSAGE_BYTES, actualBytes: sizeBytes } },
    );
  }
  return sizeBytes;
}
