import { LIBRARY_CODES } from './error-codes';
import { TidelockError } from './tidelock-error';

/** Refuses what a caller gave, naming the place in it. @throws TidelockError INVALID_INPUT (`details`: path, problem) */
export function refuseInput(path: string, problem: string, what = 'input'): never {
  throw new TidelockError(LIBRARY_CODES.INVALID_INPUT, `Invalid ${what} at "${path}": ${problem}.`, {
    details: { path, problem },
  });
}
