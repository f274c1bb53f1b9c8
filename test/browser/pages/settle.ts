import { isTidelockError } from 'tidelock';

/** An outcome that survives the way back to the test: Playwright carries plain data only. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly code: string;
      readonly details: Readonly<Record<string, unknown>>;
      readonly message: string;
    };

/** Never rejects. */
export async function settle<T>(work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    const { code, details } = isTidelockError(error)
      ? error
      : { code: `not typed: ${String(error)}`, details: {} };
    return { ok: false, code, details, message: error instanceof Error ? error.message : '' };
  }
}
