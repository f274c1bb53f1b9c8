/**
 * SQLite's files report every failure as one and the same I/O error; what the browser really threw goes to the log of
 * sqlite-wasm only. This remembers the latest, so that a full disk can be told from a broken one.
 */
let latest: DOMException | undefined;

/** For sqlite-wasm's `error` log: the browser's exception is its last argument. */
export function rememberFileError(...args: readonly unknown[]): void {
  const error = args.at(-1);
  if (error instanceof DOMException) latest = error;
}

/** What the browser threw last, once: whoever asks about the next I/O error must not meet it again. */
export function takeFileError(): DOMException | undefined {
  const error = latest;
  latest = undefined;
  return error;
}
