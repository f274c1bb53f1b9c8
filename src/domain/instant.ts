/**
 * Instants are stored as ISO 8601 UTC text with milliseconds, so that text order is time order. That holds for the
 * years 0000 to 9999 only; anything outside is unreadable here. Parsed by hand, because `Date.parse` differs
 * between engines on everything but one form and rolls 30 February over into March.
 */

const ISO_WITH_ZONE =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:Z|([+-])(\d{2})(?::?(\d{2}))?)$/i;

const MINUTE_MS = 60_000;
const FIRST_MS = Date.parse('0000-01-01T00:00:00.000Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Milliseconds since the epoch, or undefined where the text names no single instant (no zone, no such day). */
export function findInstantMs(text: string): number | undefined {
  const match = ISO_WITH_ZONE.exec(text);
  if (match === null) return undefined;
  const part = (index: number): number => Number(match[index] ?? 0);
  const millisecond = Math.trunc(Number(`0.${match[7] ?? '0'}`) * 1000);
  const date = new Date(0);
  date.setUTCFullYear(part(1), part(2) - 1, part(3));
  date.setUTCHours(part(4), part(5), part(6), millisecond);
  // A day that the month does not have rolls over into another month.
  const isReal =
    date.getUTCMonth() === part(2) - 1 &&
    part(4) < 24 &&
    part(5) < 60 &&
    part(6) < 60 &&
    part(9) < 24 &&
    part(10) < 60;
  if (!isReal) return undefined;
  const aheadMs = (part(9) * 60 + part(10)) * MINUTE_MS;
  const ms = match[8] === '-' ? date.getTime() + aheadMs : date.getTime() - aheadMs;
  return ms >= FIRST_MS && ms <= LAST_MS ? ms : undefined;
}

export function toInstant(ms: number): string {
  return new Date(ms).toISOString();
}
