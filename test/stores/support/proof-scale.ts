/**
 * How much longer than usual the proofs run: `STORE_PROOF_SCALE=50` for a night. 1 keeps them inside a normal test run.
 */
export const PROOF_SCALE = Math.max(1, Number(process.env['STORE_PROOF_SCALE'] ?? '1'));
