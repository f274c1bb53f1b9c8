import { expect, test } from 'vitest';
import { freshDatabase, joinLedger, mustBeOk } from './setup';

test('a duplicated tab, session storage and all, is another one: what dies with one stays with the other', async () => {
  const db = freshDatabase();
  const original = await joinLedger(db);
  await original.evaluate(() => sessionStorage.setItem('copied', 'yes'));
  const duplicate = await original.duplicate();
  expect(await duplicate.evaluate(() => sessionStorage.getItem('copied'))).toBe('yes');
  mustBeOk(await duplicate.call('join', db));
  const ids = [await original.call('readStatus'), await duplicate.call('readStatus')].map(
    ({ sessionId }) => sessionId,
  );
  expect(new Set(ids).size).toBe(2);

  mustBeOk(await original.call('issuePermit', 'of the original'));
  mustBeOk(await duplicate.call('issuePermit', 'of the duplicate'));
  await duplicate.close();
  await expect
    .poll(() => original.call('readPermitState', 'of the duplicate'), { timeout: 10_000 })
    .toBe('abandoned-clean');
  expect(await original.call('readPermitState', 'of the original')).toBe('issued-idle');
});
