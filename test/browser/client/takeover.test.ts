import { describe, expect, test } from 'vitest';
import { freshDatabase, joinTab, openNotesTab, mustBeOk } from './setup';

describe('a takeover', () => {
  test('a tab whose only worker is killed gets another and goes on', async () => {
    const tab = await joinTab(freshDatabase());
    mustBeOk(await tab.call('addNote', 'before'));
    expect(await tab.terminateWorkers()).toBe(1);
    mustBeOk(await tab.call('addNote', 'after'));
    expect(await tab.call('listNotes')).toEqual(['after', 'before']);
    expect((await tab.call('readStatus')).writer?.epoch).toBe(2);
  });

  test(
    'a tab whose workers are killed while they load gets another all the same',
    { timeout: 60_000 },
    async () => {
      const tab = await joinTab(freshDatabase());
      mustBeOk(await tab.call('addNote', 'before'));
      for (let kill = 0; kill < 3; kill++) {
        await tab.call('terminateLast');
        await tab.evaluate(() => new Promise((resolve) => setTimeout(resolve, 120)));
      }
      mustBeOk(await tab.call('addNote', 'after'));
      expect(await tab.call('listNotes')).toEqual(['after', 'before']);
    },
  );

  test('of a database in memory finds it empty, and the other tab is served all the same', async () => {
    const db = freshDatabase();
    const writer = await openNotesTab();
    mustBeOk(await writer.call('join', db, { storage: 'memory' }));
    mustBeOk(await writer.call('addNote', 'lost'));
    const other = await openNotesTab();
    mustBeOk(await other.call('join', db, { storage: 'memory' }));
    await writer.crash();
    await other.call('waitForRole', 'writer');
    mustBeOk(await other.call('join', db, { storage: 'memory' }));
    mustBeOk(await other.call('addNote', 'kept'));
    expect(await other.call('listNotes')).toEqual(['kept']);
  });

  test('of one in memory is nothing to a tab that wants the database of that name on disk, and has one', async () => {
    const db = freshDatabase();
    const inMemory = await openNotesTab();
    mustBeOk(await inMemory.call('join', db, { storage: 'memory' }));
    const onDisk = await joinTab(db);
    mustBeOk(await onDisk.call('addNote', 'kept'));
    expect(await inMemory.call('readStatus')).toMatchObject({ db, storage: 'memory', role: 'writer' });
    expect(await onDisk.call('readStatus')).toMatchObject({ db, storage: 'opfs', role: 'writer' });
    expect(await inMemory.call('listNotes')).toEqual([]);
    await inMemory.close();
    mustBeOk(await onDisk.call('addNote', 'more'));
    expect(await onDisk.call('listNotes')).toEqual(['kept', 'more']);
  });

  test('a change made in one tab is told in the other', async () => {
    const db = freshDatabase();
    const one = await joinTab(db);
    const two = await joinTab(db);
    const told = two.call('waitForChange');
    mustBeOk(await one.call('addNote', 'a'));
    expect(await told).toBe((await one.call('readStatus')).localDataVersion);
  });
});

describe('a living tab’s permits', () => {
  test('its pull in flight goes on across a takeover and is applied', async () => {
    const db = freshDatabase();
    const writer = await joinTab(db);
    const other = await joinTab(db);
    const permitId = await other.call('beginPull');
    await writer.crash();
    await other.call('waitForRole', 'writer');
    expect((await other.call('readPermit', permitId))?.state).toBe('gateway-in-flight');
    const { outcome } = await other.call('answerPull', [{ id: 'p', text: 'pulled' }], { seq: 1 });
    expect(mustBeOk(outcome)).toMatchObject({ outcome: 'applied' });
    expect(await other.call('listNotes')).toEqual(['p']);
    expect((await other.call('readPermit', permitId))?.state).toBe('released');
    expect(await other.call('countOpenObligations')).toBe(0);
  });

  test('a permit used by hand under the former writer’s instance id is still its tab’s', async () => {
    const db = freshDatabase();
    const writer = await joinTab(db);
    const other = await joinTab(db);
    const issued = mustBeOk(await other.call('issuePermit', 'p-1'));
    await writer.crash();
    await other.call('waitForRole', 'writer');
    const started = mustBeOk(await other.call('startPermit', 'p-1', issued.serverInstanceId));
    expect(started).toMatchObject({ state: 'gateway-in-flight' });
    expect(started.serverInstanceId).not.toBe(issued.serverInstanceId);
    expect(await other.call('startPermit', 'p-1', '99.never-a-writer')).toMatchObject({
      ok: false,
      code: 'SYNC_COORDINATOR_PERMIT_SERVER_MISMATCH',
    });
  });
});

describe('a dead tab’s permits', () => {
  test.each(['crash', 'close'] as const)(
    'after a %s, what never started ends clean and what was in flight leaves an obligation',
    async (how) => {
      const db = freshDatabase();
      const writer = await joinTab(db);
      const doomed = await joinTab(db);
      mustBeOk(await doomed.call('issuePermit', 'idle'));
      const flying = await doomed.call('beginPull');
      await doomed[how]();
      await expect.poll(async () => (await writer.call('readPermit', 'idle'))?.state).toBe('abandoned-clean');
      expect(await writer.call('readPermit', flying)).toMatchObject({
        state: 'abandoned-reconcile-required',
        errorCode: 'SYNC_COORDINATOR_HOLDER_GONE',
      });
      expect(await writer.call('countOpenObligations')).toBe(1);
      await writer.call('beginPull');
      mustBeOk((await writer.call('answerPull', [], { seq: 1 })).outcome);
      expect(await writer.call('countOpenObligations')).toBe(0);
    },
  );

  test('the same where the dead tab was the writer', async () => {
    const db = freshDatabase();
    const doomed = await joinTab(db);
    const other = await joinTab(db);
    mustBeOk(await doomed.call('issuePermit', 'idle'));
    const flying = await doomed.call('beginPull');
    await doomed.crash();
    await other.call('waitForRole', 'writer');
    await expect.poll(async () => (await other.call('readPermit', 'idle'))?.state).toBe('abandoned-clean');
    expect((await other.call('readPermit', flying))?.state).toBe('abandoned-reconcile-required');
  });
});
