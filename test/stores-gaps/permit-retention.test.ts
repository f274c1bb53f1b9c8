import { expect, test } from 'vitest';
import { fillHistory } from '../bench/history/fill-history';
import { setupStores } from '../stores/support/store-setup';

const HOUR_MS = 3_600_000;

test.each(['browser-gateway', 'server'] as const)(
  'retention runs before an issue to %s, an hour after the store was opened and not before',
  async (owner) => {
    const { database, clock, reopen, issueInput } = await setupStores(owner);
    fillHistory(database, 'permits', 1_003, clock.read());
    clock.moveDays(8);
    const { permits } = reopen();
    const countFinished = (): unknown =>
      database.prepare('SELECT count(completed_at) AS n FROM local_sync_execution_permits').get()?.['n'];
    const issue = (): unknown =>
      owner === 'server' ? permits.issueServer(issueInput()) : permits.issue(issueInput());
    issue();
    clock.move(HOUR_MS - 1);
    issue();
    expect(countFinished()).toBe(1_003);
    clock.move(1);
    issue();
    expect(countFinished()).toBe(1_000);
  },
);
