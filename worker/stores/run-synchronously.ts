import type { StoreCode } from '../../src/domain/error-codes';
import { isThenable } from '../../src/domain/is-thenable';
import { refuse } from '../../src/domain/refuse';

/** Runs a callback inside the transaction; a promise is refused, because what it does later would be outside. */
export function runSynchronously<T>(work: () => T, code: StoreCode): T {
  const result = work();
  if (!isThenable(result)) return result;
  // Its rejection, if any, belongs to nobody now.
  result.then(undefined, () => undefined);
  return refuse(code, 'A callback inside a transaction must be synchronous.', {
    expected: 'a value',
    actual: 'a promise',
  });
}
