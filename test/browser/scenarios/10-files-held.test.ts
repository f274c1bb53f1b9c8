import { expect, test } from 'vitest';
import { times } from '../../support/times';
import { NOTES, SELECT_NOTES, startStorage, startWithNotes } from '../storage/start-storage';
import {
  freshDatabase,
  joinLedger,
  mustBeOk,
  openLedgerTab,
  pause,
  readOrder,
  takeWriterPlace,
} from './setup';

const COLLISIONS = times({ some: 5, full: 200 });

test(
  `the files are held by another worker that lets go some milliseconds after the first failure, ${String(COLLISIONS)} times: the data survives each`,
  { timeout: 30_000 + COLLISIONS * 5_000 },
  async () => {
    const { worker, name } = await startWithNotes();
    let holder = worker;
    for (let collision = 0; collision < COLLISIONS; collision++) {
      const next = startStorage();
      const failed = next.run('waitForFailure');
      const opening = next.run('open', { name });
      await failed;
      await pause((collision * 7) % 60);
      if (collision % 2 === 0) holder.terminate();
      else {
        await holder.run('close');
        holder.terminate();
      }
      await opening;
      expect(await next.run('all', SELECT_NOTES), `collision ${String(collision)}`).toEqual(NOTES);
      holder = next;
    }
    expect(await holder.run('all', 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  },
);

test('a tab whose files are held for a second by a worker that ignores the lock starts all the same', async () => {
  const db = freshDatabase();
  const before = await joinLedger(db);
  mustBeOk(await before.call('mutate', 'append', 'kept', 0));
  const place = takeWriterPlace(db);
  await before.close();
  await place.granted;
  const intruder = startStorage();
  await intruder.run('open', { name: db });
  place.release();
  const tab = await openLedgerTab();
  const joining = tab.call('join', db);
  await pause(1_000);
  intruder.terminate();
  mustBeOk(await joining);
  expect(await readOrder(tab)).toBe('kept0');
});
