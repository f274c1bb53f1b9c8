import { expect, test } from 'vitest';
import { openTab } from '../support/open-tab';
import { freshDatabase } from './setup';

test('on a page over plain http that is not localhost connect is UNSUPPORTED_ENVIRONMENT and says what to do', async () => {
  const tab = await openTab<typeof import('../pages/ledger')>({
    module: '/bundled/ledger.js',
    origin: 'insecure',
  });
  // What such a page lacks; the library must not stumble over any of it.
  const page = await tab.evaluate(() => ({
    isSecureContext,
    locks: 'locks' in navigator,
    storage: 'storage' in navigator,
    randomUuid: 'randomUUID' in crypto,
  }));
  expect(page).toEqual({ isSecureContext: false, locks: false, storage: false, randomUuid: false });
  const db = freshDatabase();
  for (let attempt = 0; attempt < 2; attempt++) {
    expect(await tab.call('join', db)).toMatchObject({
      ok: false,
      code: 'UNSUPPORTED_ENVIRONMENT',
      message: expect.stringMatching(/https or from localhost/),
      details: { missing: 'secure context' },
    });
  }
  expect(await tab.call('join', db, { storage: 'memory' })).toMatchObject({
    code: 'UNSUPPORTED_ENVIRONMENT',
  });
  expect(await tab.terminateWorkers(), 'no worker was made').toBe(0);
  expect(await tab.call('readUnhandled')).toEqual([]);
  expect(await tab.errors()).toEqual([]);
});
