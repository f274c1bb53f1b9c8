/** Pages on this machine may read the answers, whatever their port; the headers say nothing to others. */
export function corsHeaders(origin: string | undefined): Readonly<Record<string, string>> {
  if (origin === undefined || !isLocalOrigin(origin)) return { vary: 'origin' };
  return {
    vary: 'origin',
    'access-control-allow-origin': origin,
    'access-control-allow-headers': 'authorization, content-type',
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-max-age': '600',
  };
}

function isLocalOrigin(origin: string): boolean {
  return /^https?:\/\/(([\w.-]+\.)?localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(origin);
}
