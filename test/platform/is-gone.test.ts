/** Whether a worker file is gone for good, by what the server answers. */
import { afterEach, expect, test, vi } from 'vitest';
import { browserTabPlatform } from '../../src/platform/browser-tab-platform';

afterEach(() => vi.unstubAllGlobals());

test.each([
  [200, 'text/javascript', false],
  [200, 'text/html; charset=utf-8', true], // a single-page app's server, for what it does not have
  [404, 'text/html', true],
  [410, 'text/plain', true],
  [401, 'text/html', false],
  [503, 'text/html', false], // the gateway of a server that is restarting
])('%d with %s: %s', async (status, type, isGone) => {
  const answer = new Response(null, { status, headers: { 'content-type': type } });
  vi.stubGlobal('fetch', () => Promise.resolve(answer));
  expect(await browserTabPlatform.isGone('https://app.test/worker.js')).toBe(isGone);
});

test('without a network, or an address, nobody can tell', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('failed to fetch')));
  expect(await browserTabPlatform.isGone('https://app.test/worker.js')).toBe(false);
  expect(await browserTabPlatform.isGone(null)).toBe(false);
});
