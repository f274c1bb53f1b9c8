import { expect, test } from 'vitest';
import { times } from '../../support/times';
import { freshDatabase, joinLedger, mustBeOk, openLedgerTab, readOrder } from './setup';

const ERRORS = ['InvalidStateError', 'NoModificationAllowedError'];

test.each(ERRORS.slice(0, times({ some: 1, full: 2 })))(
  'one createSyncAccessHandle that fails once with %s costs nothing: the tab starts, the data is there',
  async (name) => {
    const db = freshDatabase();
    const before = await joinLedger(db);
    mustBeOk(await before.call('mutate', 'append', 'kept', 0));
    await before.close();
    const tab = await openLedgerTab();
    mustBeOk(await tab.call('join', db, { faults: `handles=${name}:1` }));
    expect(await readOrder(tab)).toBe('kept0');
    mustBeOk(await tab.call('mutate', 'append', 'kept', 1));
    await tab.close();
    expect(await readOrder(await joinLedger(db))).toBe('kept0 kept1');
  },
);
