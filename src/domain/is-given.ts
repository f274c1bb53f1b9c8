/** Whether an optional input was given; null counts as not given. */
export function isGiven<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}
