import { expect, test } from 'vitest';
import { times } from '../../support/times';
import { openTab } from '../support/open-tab';
import { countWriterLocks, freshDatabase, mustBeOk, openLedgerTab, watchWriters } from './setup';

const TABS = times({ some: 4, full: 12 });
const KILLS = times({ some: 1, full: 8 });

/** A tab whose workers keep every core busy until it is closed. */
async function loadCpu(): Promise<void> {
  const burner = await openTab();
  await burner.evaluate(() => {
    const url = URL.createObjectURL(new Blob(['for (;;);'], { type: 'text/javascript' }));
    for (let core = 0; core < navigator.hardwareConcurrency; core++) new Worker(url);
  });
}

test(
  `${String(TABS)} tabs at once on a machine that is busy: one writer at any time, each of a higher epoch, all tabs served`,
  { timeout: 600_000 },
  async () => {
    const db = freshDatabase();
    const writers = watchWriters(db);
    await loadCpu();
    let tabs = await Promise.all(Array.from({ length: TABS }, () => openLedgerTab()));
    const statuses = await Promise.all(tabs.map((tab) => tab.call('join', db, { startTimeoutMs: 120_000 })));
    statuses.forEach((status) => mustBeOk(status));
    for (let kill = 0; kill < KILLS; kill++) {
      const appending = tabs.map((tab) => tab.call('mutate', 'append', tab.id, kill, { timeoutMs: 120_000 }));
      const roles = await Promise.all(tabs.map(async (tab) => (await tab.call('readStatus')).role));
      const writer = tabs[roles.indexOf('writer')];
      const survivors = tabs.filter((tab) => tab !== writer);
      expect(await countWriterLocks(db)).toBeLessThanOrEqual(1);
      await (kill % 2 === 0 ? writer?.crash() : writer?.close());
      const outcomes = await Promise.all(
        appending.map((call, index) => (tabs[index] === writer ? call.catch(() => undefined) : call)),
      );
      outcomes.forEach((outcome, index) => tabs[index] === writer || mustBeOk(outcome));
      const opened = await openLedgerTab();
      mustBeOk(await opened.call('join', db, { startTimeoutMs: 120_000 }));
      tabs = [...survivors, opened];
    }
    expect(writers.wentBack).toEqual([]);
    expect(writers.epochs.length).toBeGreaterThan(KILLS);
    expect(writers.epochs).toEqual([...new Set(writers.epochs)].toSorted((a, b) => a - b));
    const entries = (await tabs[0]?.call('readEntries')) ?? [];
    const keys = entries.map(({ tab, n }) => `${tab}/${String(n)}`);
    expect(new Set(keys).size).toBe(keys.length);
  },
);
