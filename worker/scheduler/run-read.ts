import { STORE_CODES } from '../../src/domain/error-codes';
import { isThenable } from '../../src/domain/is-thenable';
import { TidelockError } from '../../src/domain/tidelock-error';
import type { JobOutcome } from './job';

/** Runs a read outside any transaction. A returned promise is refused: what it read later would be another state. */
export function runRead(work: () => unknown): JobOutcome {
  try {
    const value = work();
    if (!isThenable(value)) return { ok: true, value };
    // Its rejection, if any, belongs to nobody now.
    value.then(undefined, () => undefined);
    const error = new TidelockError(
      STORE_CODES.ASYNC_TRANSACTION,
      'A read returned a promise; it must be synchronous.',
      {
        details: { expected: 'a value', actual: 'a promise' },
      },
    );
    return { ok: false, error };
  } catch (error) {
    return { ok: false, error };
  }
}
