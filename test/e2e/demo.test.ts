/** The demo in real tabs against its real server: what each button does, and that the board ends right. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Demo, StartDemoOptions } from '../../demo/start-demo';
import { openBrowser, type OpenBrowser } from '../support/open-browser';
import { openBoard } from './support/board-page';
import { startFreshDemo } from './support/demo';
import { readEffects, readServerTitles } from './support/effects';

let demo: Demo;
let browser: OpenBrowser;
const others: OpenBrowser[] = [];

async function setup(options: StartDemoOptions = {}): Promise<void> {
  demo = await startFreshDemo(options);
  browser = await openBrowser();
}

async function everyOperationTookEffectOnce(count: number): Promise<void> {
  await expect.poll(async () => (await readEffects(demo.syncUrl)).length).toBe(count);
  for (const { identity, effects } of await readEffects(demo.syncUrl))
    expect({ identity, effects }).toEqual({ identity, effects: 1 });
}

afterEach(async () => {
  await browser.close();
  for (const other of others.splice(0)) await other.close();
  await demo.close();
});

describe('the board', () => {
  beforeEach(() => setup());

  test('a task added in one tab shows in the other at once, and in a second profile after its pull', async () => {
    const one = await openBoard(browser.context, demo.url);
    const two = await openBoard(browser.context, demo.url);
    await one.add('buy bread');
    await two.shouldShow(['buy bread']);
    const other = await openBrowser();
    others.push(other);
    const far = await openBoard(other.context, demo.url);
    await far.shouldShow(['buy bread']);
    await far.add('from afar');
    await one.shouldShow(['buy bread', 'from afar']);
    await everyOperationTookEffectOnce(2);
  });

  test('killing the writer’s worker loses and doubles nothing', async () => {
    const one = await openBoard(browser.context, demo.url);
    const two = await openBoard(browser.context, demo.url);
    await one.shouldTell('role', 'writer');
    await one.add('before');
    await one.press('Kill this tab’s worker');
    await one.add('while nobody writes');
    await two.add('from the other tab');
    await two.shouldTell('role', 'writer');
    await one.shouldTell('role', 'follower');
    await one.shouldShow(['before', 'while nobody writes', 'from the other tab']);
    await two.shouldShow(['before', 'while nobody writes', 'from the other tab']);
    await everyOperationTookEffectOnce(3);
  });

  test('killing the only worker brings another', async () => {
    const one = await openBoard(browser.context, demo.url);
    await one.add('first');
    await one.press('Kill this tab’s worker');
    await one.add('second');
    await one.shouldShow(['first', 'second']);
    await one.shouldTell('role', 'writer');
    await everyOperationTookEffectOnce(2);
  });

  test('a lost answer leaves an obligation that the next push settles, and no double', async () => {
    const one = await openBoard(browser.context, demo.url);
    await one.press('Lose the next answer');
    await one.page.getByText('will lose the next').waitFor();
    await one.add('fragile');
    await one.page.getByText('outcome unknown').first().waitFor();
    await one.shouldShow(['fragile']);
    await one.shouldTell('open obligations', '0');
    await one.shouldTell('active', '0');
    const [effect] = await readEffects(demo.syncUrl);
    expect(effect).toMatchObject({ arrived: 2, effects: 1 });
  });

  test('a delayed answer and a push delivered twice end right', async () => {
    const one = await openBoard(browser.context, demo.url);
    await one.press('Delay the next answer');
    await one.page.getByText('will delay the next').waitFor();
    await one.add('late');
    await one.shouldShow(['late']);
    await one.press('Deliver a push twice');
    await one.page.getByText('will duplicate the next').waitFor();
    await one.add('twice on the way');
    await one.shouldShow(['late', 'twice on the way']);
    await everyOperationTookEffectOnce(2);
  });

  test('a refused push is shown, and sent again when asked', async () => {
    const one = await openBoard(browser.context, demo.url);
    await one.press('Refuse the next push');
    await one.page.getByText('will reject the next').waitFor();
    await one.add('not now');
    await one.page.getByText('add-task was refused').waitFor();
    expect(await readServerTitles(demo.syncUrl)).toEqual([]);
    await one.press('Try again');
    await one.shouldShow(['not now']);
    expect(await readServerTitles(demo.syncUrl)).toEqual(['not now']);
  });

  test('closing the writer’s tab leaves the other going on', async () => {
    const one = await openBoard(browser.context, demo.url);
    const two = await openBoard(browser.context, demo.url);
    await one.add('by the first');
    await two.shouldShow(['by the first']);
    await one.page.close();
    await two.add('by the second');
    await two.shouldShow(['by the first', 'by the second']);
    await two.shouldTell('role', 'writer');
    await everyOperationTookEffectOnce(2);
  });

  test('checking off, deleting and reloading keep the order of each task’s operations', async () => {
    const one = await openBoard(browser.context, demo.url);
    await one.add('stay');
    await one.add('go');
    await one.task('stay').getByRole('checkbox').check();
    await one.task('go').getByRole('button', { name: 'Delete: go' }).click();
    await one.shouldShow(['stay']);
    await one.page.reload();
    await one.shouldShow(['stay']);
    expect(await one.task('stay').getByRole('checkbox').isChecked()).toBe(true);
    expect(await readServerTitles(demo.syncUrl)).toEqual(['stay']);
    await everyOperationTookEffectOnce(4);
  });
});

describe('the board without any fault, on a server that does not know repeats', () => {
  beforeEach(() => setup({ dedupe: false }));

  test('each operation arrives exactly once, though three tabs sync', async () => {
    const one = await openBoard(browser.context, demo.url);
    const two = await openBoard(browser.context, demo.url);
    const three = await openBoard(browser.context, demo.url);
    const titles = Array.from({ length: 12 }, (_, index) => `task ${String(index)}`);
    for (const [index, title] of titles.entries()) await [one, two, three][index % 3]?.add(title);
    await one.shouldShow(titles);
    await two.shouldShow(titles);
    await three.shouldShow(titles);
    const effects = await readEffects(demo.syncUrl);
    expect(effects).toHaveLength(titles.length);
    for (const { identity, arrived, effects: times } of effects)
      expect({ identity, arrived, times }).toEqual({ identity, arrived: 1, times: 1 });
  });
});
