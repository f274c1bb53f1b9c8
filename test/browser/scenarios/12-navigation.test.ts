import { expect, test } from 'vitest';
import { server } from 'vitest/browser';
import { times } from '../../support/times';
import { mustGetEngine } from '../support/engine';
import { freshDatabase, mustBeOk, openLedgerTab, readOrder } from './setup';

const STEPS = times({ some: 6, full: 50 });
const PAGES = ['one', 'two'].map(
  (page) => `/test/browser/pages/tab.html?module=${encodeURIComponent('/bundled/ledger.js')}&page=${page}`,
);

test(
  `an app of several pages, ${String(STEPS)} steps forth and back: each page works, the cached ones included`,
  { timeout: 30_000 + STEPS * 10_000 },
  async () => {
    const db = freshDatabase();
    const tab = await openLedgerTab();
    const cached: number[] = [];
    for (let step = 0; step < STEPS; step++) {
      if (step % 3 === 2) await tab.goBack();
      else await tab.goto(PAGES[step % 2] ?? '');
      if ((await tab.call('joinOnce', db)) === 'had joined') cached.push(step);
      mustBeOk(await tab.call('mutate', 'append', 's', step));
    }
    expect(await readOrder(tab)).toBe(
      Array.from({ length: STEPS }, (_, step) => `s${String(step)}`).join(' '),
    );
    const { cachesPagesThatHeldLocks } = mustGetEngine(server.browser);
    expect(cached.length > 0, 'pages came out of the back/forward cache').toBe(cachesPagesThatHeldLocks);
    expect(await tab.errors()).toEqual([]);
  },
);
