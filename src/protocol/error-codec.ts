import { ERROR_CODES, LIBRARY_CODES, type ErrorCode } from '../domain/error-codes';
import { TidelockError, isTidelockError, type ErrorDetails } from '../domain/tidelock-error';

/** An error as it crosses a port: plain data, its causes included, so many levels that a cycle cannot grow. */
export interface WireError {
  readonly code: ErrorCode | null;
  readonly name: string;
  readonly message: string;
  readonly details: ErrorDetails;
  readonly cause?: WireError;
}

const MAX_CAUSE_DEPTH = 4;

/** Any thrown value as plain data. An error that is not ours keeps name, message and numeric `resultCode`, if any. */
export function encodeError(error: unknown, depth = 0): WireError {
  const cause =
    error instanceof Error && error.cause !== undefined && depth < MAX_CAUSE_DEPTH
      ? { cause: encodeError(error.cause, depth + 1) }
      : {};
  if (isTidelockError(error)) {
    return {
      code: error.code,
      name: error.name,
      message: error.message,
      details: toPlainDetails(error.details),
      ...cause,
    };
  }
  if (error instanceof Error) {
    return { code: null, name: error.name, message: error.message, details: readResultCode(error), ...cause };
  }
  return { code: null, name: 'Error', message: describe(error), details: {} };
}

/** The error again, on the other side of a port. A code this build does not know becomes PROTOCOL_MISMATCH. */
export function decodeError(wire: WireError): Error {
  const options = wire.cause === undefined ? {} : { cause: decodeError(wire.cause) };
  if (wire.code === null) {
    const error = Object.assign(new Error(wire.message, options), wire.details);
    error.name = wire.name;
    return error;
  }
  if (!ERROR_CODES.includes(wire.code)) {
    return new TidelockError(
      LIBRARY_CODES.PROTOCOL_MISMATCH,
      `The writer answered with a code this build does not know, "${String(wire.code)}": ${wire.message}`,
      {
        details: { code: wire.code },
        ...options,
      },
    );
  }
  return new TidelockError(wire.code, wire.message, { details: wire.details, ...options });
}

/** Details are JSON by contract; what is not is told as text, so that an error can always be sent. */
function toPlainDetails(details: ErrorDetails): ErrorDetails {
  try {
    return JSON.parse(JSON.stringify(details)) as ErrorDetails; // JSON of an object is an object
  } catch {
    return { unserializable: true };
  }
}

function readResultCode(error: Error): ErrorDetails {
  return 'resultCode' in error && typeof error.resultCode === 'number'
    ? { resultCode: error.resultCode }
    : {};
}

function describe(value: unknown): string {
  try {
    return String(value);
  } catch {
    return 'a value that cannot be shown';
  }
}
