import { describe, expect, test } from 'vitest';
import { ERROR_CODES, LIBRARY_CODES, type ErrorCode } from '../../src/domain/error-codes';
import { TidelockError, isTidelockError } from '../../src/domain/tidelock-error';
import { decodeError, encodeError } from '../../src/protocol/error-codec';

/** There and back over what a channel does to a message. */
function cross(error: unknown): Error {
  return decodeError(structuredClone(encodeError(error)));
}

describe('the error codec', () => {
  test.each(ERROR_CODES)('%s crosses with code, message, details and cause', (code) => {
    const cause = Object.assign(new RangeError('inner'), { resultCode: 2067 });
    const error = cross(new TidelockError(code, 'outer', { details: { path: 'a[1]', n: 3 }, cause }));
    expect(error).toBeInstanceOf(TidelockError);
    expect(error).toMatchObject({ code, message: 'outer', details: { path: 'a[1]', n: 3 } });
    expect(error.cause).toMatchObject({ name: 'RangeError', message: 'inner', resultCode: 2067 });
  });

  test('the codes are distinct', () => {
    expect(new Set(ERROR_CODES).size).toBe(ERROR_CODES.length);
  });

  test('a code of another build becomes PROTOCOL_MISMATCH', () => {
    const wire = encodeError(new TidelockError('MADE_UP' as ErrorCode, 'new'));
    const error = decodeError(wire);
    expect(isTidelockError(error) && error.code).toBe(LIBRARY_CODES.PROTOCOL_MISMATCH);
    expect(error).toMatchObject({ details: { code: 'MADE_UP' } });
  });

  test('an error of somebody else keeps name and message and no code', () => {
    const error = cross(new TypeError('bad'));
    expect(error).toMatchObject({ name: 'TypeError', message: 'bad' });
    expect(error).not.toBeInstanceOf(TidelockError);
  });

  test.each([
    ['text'],
    [undefined],
    [
      {
        toString: () => {
          throw new Error('no');
        },
      },
    ],
  ])('a thrown value that is no error crosses: %#', (thrown) => {
    expect(cross(thrown)).toBeInstanceOf(Error);
  });

  test('details that are no JSON do not keep the error from crossing', () => {
    const details: Record<string, unknown> = { big: 1n };
    expect(cross(new TidelockError('STORAGE_IO', 'x', { details }))).toMatchObject({ code: 'STORAGE_IO' });
  });

  test('a cause that is its own cause ends after a few levels', () => {
    const error = new Error('loop');
    error.cause = error;
    expect(cross(error).message).toBe('loop');
  });
});
