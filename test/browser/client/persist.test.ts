import { afterEach, expect, test } from 'vitest';
import { commands } from 'vitest/browser';
import { freshDatabase, joinLedger, mustBeOk } from '../scenarios/setup';

afterEach(async () => {
  await commands.setPersistence('prompt');
});

test('the browser is asked when the app says so: refused is an answer, granted is in the status of every tab', async () => {
  const db = freshDatabase();
  await commands.setPersistence('denied');
  const tab = await joinLedger(db);
  await expect.poll(async () => (await tab.call('readStatus')).persisted).toBe(false);
  expect(mustBeOk(await tab.call('persist'))).toBe(false);
  await commands.setPersistence('granted');
  expect(mustBeOk(await tab.call('persist'))).toBe(true);
  expect((await tab.call('readStatus')).persisted).toBe(true);
  const other = await joinLedger(db);
  await expect.poll(async () => (await other.call('readStatus')).persisted).toBe(true);
  expect(await tab.errors()).toEqual([]);
});
