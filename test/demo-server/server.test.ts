import { expect, test } from 'vitest';
import { corsHeaders } from '../../demo/server/cors';
import { startSyncServer } from '../../demo/server/server';
import { createJournalPath, setup } from './setup';

const allowedOrigin = (origin: string): string | undefined =>
  corsHeaders(origin)['access-control-allow-origin'];

test.each([
  'http://localhost',
  'http://localhost:5173',
  'https://localhost:5173',
  'http://127.0.0.1:4173',
  'http://[::1]:5173',
  'http://demo.localhost:5173',
])('pages at %s may read the answers', (origin) => {
  expect(allowedOrigin(origin)).toBe(origin);
});

test.each([
  'http://localhost.example:5173',
  'http://evillocalhost',
  'http://example/.localhost',
  'http://127.0.0.10:80',
  'https://example.org',
  'null',
])('pages at %s may not', (origin) => {
  expect(allowedOrigin(origin)).toBeUndefined();
});

test('a preflight from a local page allows its methods and headers', async () => {
  const { send } = await setup();
  const { status, headers } = await send('/sync/push', {
    method: 'OPTIONS',
    headers: { origin: 'http://localhost:5173', 'access-control-request-method': 'POST' },
  });
  expect(status).toBe(204);
  expect(headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
  expect(headers.get('access-control-allow-headers')).toContain('content-type');
  expect(headers.get('access-control-allow-methods')).toContain('DELETE');
});

test('errors too can be read by a local page', async () => {
  const { send } = await setup();
  const { status, headers } = await send('/nowhere', { headers: { origin: 'http://localhost:5173' } });
  expect(status).toBe(404);
  expect(headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
});

test('no answer may be stored or lets its connection be used again', async () => {
  const { send } = await setup();
  const { headers } = await send('/sync/faults');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('connection')).toBe('close');
});

test('the server listens on 127.0.0.1 at the port it says', async () => {
  const { server } = await setup();
  expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
  expect(server.port).toBeGreaterThan(0);
});

test('a port in use fails the start', async () => {
  const { server } = await setup();
  const second = startSyncServer({ port: server.port, journalPath: createJournalPath() });
  await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('close may be called twice and frees the port', async () => {
  const { server, journalPath } = await setup();
  await Promise.all([server.close(), server.close()]);
  const again = await startSyncServer({ port: server.port, journalPath });
  expect(again.port).toBe(server.port);
  await again.close();
});
