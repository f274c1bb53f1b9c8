/**
 * Kills the writer's tab, whichever it is, over and over (twenty times in `npm run test:tabs`) while the others add tasks and sync: by a crash of its
 * process or by closing it, at random moments, with mutations and pushes in flight, on a profile on disk.
 * What was acknowledged is there once; what a survivor was promised came true; the upstream saw each effect once.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Demo } from '../../demo/start-demo';
import { makeRandom } from '../support/random';
import { times } from '../support/times';
import { openBrowser, type OpenBrowser } from '../support/open-browser';
import { startFreshDemo } from './support/demo';
import { readEffects, readServerTitles } from './support/effects';
import { openAdder, type Adder } from './support/adder';
import { openBoard } from './support/board-page';

const KILLS = times({ some: 8, full: 20 });
/** Adders beside the board; with it, one writer and at least two survivors at any moment. */
const ADDERS = 2;

let demo: Demo;
let browser: OpenBrowser;

beforeEach(async () => {
  demo = await startFreshDemo();
  browser = await openBrowser();
});
afterEach(async () => {
  await browser.close();
  await demo.close();
});

test(
  `${String(KILLS)} kills of the writer's tab lose nothing and double nothing`,
  { timeout: 180_000 },
  async () => {
    const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
    const random = makeRandom(seed);
    console.log(`kills: seed ${String(seed)}`);
    const ended: Adder[] = [];
    let adders: Adder[] = [];
    for (let index = 0; index < ADDERS; index++)
      adders.push(await openAdder(browser.context, demo.labUrl, `a${String(index)}`));
    let board = await openBoard(browser.context, demo.url);

    for (let kill = 0; kill < KILLS; kill++) {
      await new Promise((resolve) => setTimeout(resolve, random() * 400)); // the random moment, not an order
      const writer = await findWriter(adders);
      const isCrash = random() < 0.6;
      if (writer === undefined) {
        const page = board.page;
        await end(page, isCrash);
        board = await openBoard(browser.context, demo.url);
      } else {
        await end(writer.page, isCrash);
        ended.push(writer);
        adders = adders.filter((adder) => adder !== writer);
        adders.push(await openAdder(browser.context, demo.labUrl, `k${String(kill)}`));
      }
    }
    for (const adder of adders) await adder.stop();

    const promised = [...adders, ...ended].flatMap((adder) => adder.acknowledged);
    const asked = new Set([...adders, ...ended].flatMap((adder) => adder.asked));
    expect(promised.length).toBeGreaterThan(KILLS);
    for (const adder of adders) expect(adder.failures, 'a survivor’s call failed').toEqual([]);
    for (const adder of adders) expect(adder.acknowledged.toSorted()).toEqual(adder.asked.toSorted());

    await expect.poll(() => board.fact('waiting in outbox'), { timeout: 60_000 }).toBe('0');
    await board.shouldTell('active', '0');
    await board.shouldTell('open obligations', '0');
    const titles = await board.titles();
    expect(new Set(titles).size, 'a task is there twice').toBe(titles.length);
    expect(
      promised.filter((title) => !titles.includes(title)),
      'acknowledged and lost',
    ).toEqual([]);
    expect(
      titles.filter((title) => !asked.has(title)),
      'never asked for',
    ).toEqual([]);
    expect((await readServerTitles(demo.syncUrl)).toSorted()).toEqual(titles.toSorted());
    const wrong = (await readEffects(demo.syncUrl)).filter(({ effects }) => effects !== 1);
    expect(wrong, 'operations whose effect count is not 1').toEqual([]);
    console.log(
      `kills: ${String(titles.length)} tasks, ${String(promised.length)} acknowledged, writer now ${await board.fact('writer')}`,
    );
  },
);

async function findWriter(adders: readonly Adder[]): Promise<Adder | undefined> {
  for (const adder of adders) if ((await adder.readRole()) === 'writer') return adder;
  return undefined;
}

async function end(page: Adder['page'], isCrash: boolean): Promise<void> {
  if (isCrash) {
    const crashed = page.waitForEvent('crash', { timeout: 10_000 });
    page.goto('chrome://crash').catch(() => undefined); // the navigation never ends; the crash event is the answer
    await crashed;
  }
  await page.close({ runBeforeUnload: false });
}
