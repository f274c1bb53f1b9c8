/** Deepest chain of causes that is looked through. */
const MAX_CAUSES = 8;

/**
 * Whether the WASM itself trapped (out of bounds, unreachable), here or as a cause: its memory cannot be trusted any
 * more, so nothing may be committed through it.
 */
export function isEngineTrap(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    if (current instanceof WebAssembly.RuntimeError) return true;
    current = current.cause;
  }
  return false;
}
