import { STORE_CODES } from '../../src/domain/error-codes';
import { isThenable } from '../../src/domain/is-thenable';
import { TidelockError } from '../../src/domain/tidelock-error';

/**
 * Passes a value through and refuses a promise: what it would write after its first await is in nobody's transaction.
 *
 * @throws SYNC_COORDINATOR_ASYNC_TRANSACTION
 */
export function refusePromise<T>(result: T): T {
  if (!isThenable(result)) return result;
  // Its rejection, if any, belongs to nobody now.
  result.then(undefined, () => undefined);
  throw new TidelockError(
    STORE_CODES.ASYNC_TRANSACTION,
    'A transaction callback returned a promise; it must be synchronous.',
    { details: { expected: 'a value', actual: 'a promise' } },
  );
}
