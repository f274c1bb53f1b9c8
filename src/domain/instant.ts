/**
 * Instants are stored as ISO 8601 UTC text with milliseconds, so that text order is time order. That holds for the
 * years 0000 to 9999 only; anything outside is unreadable here. Parsed by hand, because `Date.parse` differs
 * between engines on everything but one form and rolls 30 February over into March.
 */

const ISO_WITH_ZONE =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:Z|([+-])(\d{2})(?::?(\d{2}))?)$/i;

const STORED_LENGTH = '2026-03-01T00:00:00.000Z'.length;
const MINUTE_MS = 60_000;
const FIRST_MS = Date.parse('0000-01-01T00:00:00.000Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Milliseconds since the epoch, or undefined where the text names no single instant (no zone, no such day). */
export function findInstantMs(text: string): number | undefined {
  return findStoredMs(text) ?? parseInstantMs(text);
}

/** The one form we store ourselves, which is nearly every instant there is: recognised by reading it back. */
function findStoredMs(text: string): number | undefined {
  if (text.length !== STORED_LENGTH) return undefined;
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && toInstant(ms) === text ? ms : undefined;
}

function parseInstantMs(text: string): number | undefined {
  const match = ISO_WITH_ZONE.exec(text);
  if (match === null) return undefined;
  const part = (index: number): number => Number(match[index] ?? 0);
  const millisecond = Math.trunc(Number(`0.${match[7] ?? '0'}`) * 1000);
  const date = new Date(0);
  date.setUTCFullYear(part(1), part(2) - 1, part(3));
  date.setUTCHours(part(4), part(5), part(6), millisecond);
  const isReal =
    date.getUTCDate() === part(3) &&
    date.getUTCMonth() === part(2) - 1 &&
    date.getUTCHours() === part(4) &&
    date.getUTCMinutes() === part(5) &&
    date.getUTCSeconds() === part(6) &&
    part(9) < 24 &&
    part(10) < 60;
  if (!isReal) return undefined;
  const offsetMs = (part(9) * 60 + part(10)) * MINUTE_MS * (match[8] === '-' ? -1 : 1);
  const ms = date.getTime() - offsetMs;
  return ms >= FIRST_MS && ms <= LAST_MS ? ms : undefined;
}

export function toInstant(ms: number): string {
  return new Date(ms).toISOString();
}
