/** Pages that go away and come back: the back/forward cache, which is on in every test here, and freezing. */
import { describe, expect, test } from 'vitest';
import { times } from '../../support/times';
import { freshDatabase, joinTab, mustBeOk, type NotesTab } from './setup';

const ELSEWHERE = '/test/browser/pages/tab.html?elsewhere';

/** Marks the page, so that it can be told from one that was loaded anew. */
async function mark(tab: NotesTab): Promise<void> {
  await tab.evaluate(() => Object.assign(globalThis, { isTheSamePage: true }));
}

async function isTheSamePage(tab: NotesTab): Promise<boolean> {
  return tab.evaluate(() => 'isTheSamePage' in globalThis);
}

async function shouldBeTheSamePage(tab: NotesTab): Promise<void> {
  expect(await isTheSamePage(tab), 'restored from the cache').toBe(true);
}

/** Its worker is loaded and waits for the writer's lock. */
async function shouldStandInLine(tab: NotesTab): Promise<void> {
  await expect
    .poll(async () => (await tab.call('readStatus')).workerStage, { timeout: 20_000 })
    .toBe('waiting');
}

describe('the page that writes', () => {
  test(
    'goes into the back/forward cache and returns, over and over: others go on meanwhile, its client lives',
    { timeout: 240_000 },
    async () => {
      const db = freshDatabase();
      const traveller = await joinTab(db);
      const other = await joinTab(db);
      await mark(traveller);
      const expected: string[] = [];
      const add = async (tab: NotesTab, id: string): Promise<void> => {
        expected.push(id);
        mustBeOk(await tab.call('addNote', id));
      };
      const trips = times({ some: 3, full: 20 });
      let restored = 0;
      for (let trip = 0; trip < trips; trip++) {
        // Whoever writes now is made to be the traveller: the other hands over.
        if ((await traveller.call('readStatus')).role !== 'writer') {
          await shouldStandInLine(traveller);
          mustBeOk(await other.call('handOver'));
          await traveller.call('waitForRole', 'writer');
        }
        await traveller.goto(ELSEWHERE);
        await add(other, `away-${String(trip)}`);
        await traveller.goBack();
        // The browser may drop a cached page whose lock somebody asked for before it was let go: then it loads anew.
        if (await isTheSamePage(traveller)) restored += 1;
        else {
          mustBeOk(await traveller.call('join', db));
          await mark(traveller);
        }
        await add(traveller, `back-${String(trip)}`);
        await add(other, `both-${String(trip)}`);
        expect((await traveller.call('listNotes')).toSorted()).toEqual(expected.toSorted());
      }
      expect(restored, 'of the returns were from the cache').toBeGreaterThan(trips / 2);
      await shouldStandInLine(traveller);
      expect(await traveller.call('countWorkers'), 'no worker is left behind').toBe(1);
    },
  );

  test('is told of what changed while it was away', async () => {
    const db = freshDatabase();
    const traveller = await joinTab(db);
    const other = await joinTab(db);
    await mark(traveller);
    await traveller.call('recordChanges');
    await traveller.goto(ELSEWHERE);
    mustBeOk(await other.call('addNote', 'meanwhile'));
    const { localDataVersion } = await other.call('readStatus');
    await traveller.goBack();
    await shouldBeTheSamePage(traveller);
    await expect.poll(() => traveller.call('readChanges')).toContain(localDataVersion);
  });

  test('that is frozen lets another write; resumed, the same client goes on under another session', async () => {
    const db = freshDatabase();
    const frozen = await joinTab(db);
    const other = await joinTab(db);
    const before = await frozen.call('readStatus');
    await frozen.evaluate(() => document.dispatchEvent(new Event('freeze')));
    mustBeOk(await other.call('addNote', 'meanwhile'));
    expect((await other.call('readStatus')).role).toBe('writer');
    const asked = frozen.call('addNote', 'asked while frozen');
    await frozen.evaluate(() => document.dispatchEvent(new Event('resume')));
    mustBeOk(await asked);
    const after = await frozen.call('readStatus');
    expect(after.sessionId).not.toBe(before.sessionId);
    expect(after.role).toBe('follower');
    expect(await frozen.call('listNotes')).toEqual(['asked while frozen', 'meanwhile']);
  });
});

describe('a hand-over', () => {
  test('lets the other tab write; calls in flight are answered, and the first tab stands in line again', async () => {
    const db = freshDatabase();
    const first = await joinTab(db);
    const second = await joinTab(db);
    const adding = first.call('keepAdding', 'n');
    await first.call('waitForChange');
    await shouldStandInLine(second);
    mustBeOk(await second.call('handOver'));
    expect(await second.call('waitForRole', 'writer')).toBe(2);
    await first.call('waitForChange');
    await first.call('stopAdding');
    const outcomes = await adding;
    expect(Object.values(outcomes).filter(({ ok }) => !ok)).toEqual([]);
    expect((await second.call('listNotes')).toSorted()).toEqual(Object.keys(outcomes).toSorted());
    await shouldStandInLine(first);
    mustBeOk(await second.call('handOver'));
    expect(await first.call('waitForRole', 'writer')).toBe(3);
  });

  test('with nobody else there gives the place back to the same tab', async () => {
    const tab = await joinTab(freshDatabase());
    mustBeOk(await tab.call('addNote', 'before'));
    mustBeOk(await tab.call('handOver'));
    mustBeOk(await tab.call('addNote', 'after'));
    expect((await tab.call('readStatus')).writer?.epoch).toBe(2);
  });
});
