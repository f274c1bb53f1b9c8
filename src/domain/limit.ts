import { STORE_CODES } from './error-codes';
import { refuse } from './refuse';

/** Returns the limit where it is an integer from 1 to `max`. */
export function mustBeLimit(limit: number, max: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit;
  return refuse(STORE_CODES.LIMIT_INVALID, `A limit must be an integer from 1 to ${max}.`, {
    expected: `1..${max}`,
    actual: limit,
  });
}
