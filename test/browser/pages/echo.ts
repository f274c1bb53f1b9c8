/** The smallest page module: what `openTab({ module })` can import and `tab.call` can call. */
export function echo<Value>(value: Value): Value {
  return value;
}

export function fail(message: string): never {
  throw new Error(message);
}
