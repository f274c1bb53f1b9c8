import { expect, test } from 'vitest';
import { freshDatabase, openLedgerTab, shouldFailWith } from './setup';

test('a worker script that is a 404 is WORKER_LOAD_FAILED and names its URL', async () => {
  const tab = await openLedgerTab();
  const outcome = await tab.call('join', freshDatabase(), { script: '/bundled/there-is-none.js' });
  shouldFailWith(outcome, 'WORKER_LOAD_FAILED');
  expect(outcome).toMatchObject({ details: { url: expect.stringMatching(/there-is-none\.js$/) } });
});

test('a worker script that throws at its top level is WORKER_LOAD_FAILED and names its URL', async () => {
  const tab = await openLedgerTab();
  const outcome = await tab.call('join', freshDatabase(), { faults: 'throw' });
  shouldFailWith(outcome, 'WORKER_LOAD_FAILED');
  expect(outcome).toMatchObject({
    message: expect.stringMatching(/at top level/),
    details: { url: expect.stringMatching(/ledger\.worker.*\.js/) },
  });
});

test('a WASM that is a 404 is WORKER_LOAD_FAILED and names its URL', async () => {
  const tab = await openLedgerTab();
  const outcome = await tab.call('join', freshDatabase(), { faults: 'noWasm' });
  shouldFailWith(outcome, 'WORKER_LOAD_FAILED');
  expect(outcome).toMatchObject({ details: { url: expect.stringMatching(/not-deployed\.wasm$/) } });
});
