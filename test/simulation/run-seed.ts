import { checkHistory } from '../support/history/check-history';
import type { FinalState } from '../support/history/final-state';
import type { Violation } from '../support/history/rule';
import { readFinalState } from './read-final-state';
import { BUILDS } from './app';
import { GOOD_DAY } from './upstream';
import { describeError, type SimTab } from './tab';
import { pullOnce, pushOnce } from './workload';
import { World, type WorldOptions } from './world';

/** Virtual time in which everything that a tab began must have come to its end: many calls' bounds. */
const END_MS = 900_000;
/** After the last: what is under way in the network arrives, and its consequences are told. */
const AFTERMATH_MS = 1_000;
/** Everything must be pushed and fetched within so many rounds: a permit left in flight by hand expires after 60 of them. */
const CLEANING_ROUNDS = 80;

export interface RunResult {
  readonly violations: readonly Violation[];
  readonly trace: readonly string[];
  readonly events: number;
}

export type RunOptions = Omit<WorldOptions, 'diskName'>;

/** A page of the first build that comes late meets the newer writer, or what that has left. */
const OUTDATED = ['UPGRADE_REQUIRED', 'SCHEMA_TOO_NEW'];

let runs = 0;

/** One seed, from its first tab to the verdict: a storm, then calm, then what is left is looked at. */
export async function runSeed(options: RunOptions): Promise<RunResult> {
  runs += 1;
  const world = new World({ ...options, diskName: `sim-${String(options.seed)}-${String(runs)}` });
  try {
    await world.disk.start();
    const final = await live(world);
    const found = checkHistory(world.recorder.events, final, {
      // Two writers that died with one call look like its doing, whatever killed them. A deploy may outdate any page.
      allowedCodes: ['CALL_CRASHED_WRITER', ...(world.build === 'newer' ? OUTDATED : [])],
      slackMs: 50,
    });
    const breaches = world.breaches.map((message): Violation => ({ rule: 'breach', message }));
    return { violations: [...breaches, ...found], trace: world.trace.lines, events: world.time.events };
  } catch (error) {
    const violations = [{ rule: 'threw', message: describeError(error) }];
    return { violations, trace: world.trace.lines, events: world.time.events };
  } finally {
    world.close();
  }
}

async function live(world: World): Promise<FinalState> {
  const { dice, time } = world;
  const tabs = dice.integer(2, 4);
  for (let index = 1; index <= tabs; index += 1) {
    time.after(dice.between(0, 300), `t${String(index)} opens`, () => world.openTab(`t${String(index)}`));
  }
  for (let change = dice.integer(0, 8); change > 0; change -= 1)
    time.after(dice.between(0, 5_000), 'others change something', () => world.upstream.changeByOthers());
  const deploys = dice.fork('deploys');
  const deployed = deploys.chance(0.5) ? deploys.pick(BUILDS) : 'first';
  if (deployed !== 'first') time.after(deploys.between(100, 3_000), 'a deploy', () => world.deploy(deployed));
  time.after(dice.between(50, 500), 'the storm begins', () => world.kills.plan());
  await time.run(
    () => time.nowMs > 1_000 && world.kills.isOver && world.build === deployed && world.isIdle,
    END_MS,
  );

  world.trace.add(time.nowMs, 'CALM');
  world.upstream.faults = GOOD_DAY;
  const cleaner = world.openTab('cleaner');
  await time.run(() => cleaner.hasJoined && world.isIdle, END_MS);
  if (cleaner.hasJoined) cleaner.run(() => clean(cleaner));
  await time.run(() => world.isIdle, END_MS);
  world.isEnding = true;
  await time.run(() => !world.upstream.isBusy, END_MS);
  await time.run(() => false, time.nowMs + AFTERMATH_MS);
  return readFinalState(world);
}

/** Sends and fetches until nothing is left to do, as an app with a network does in the end. */
async function clean(tab: SimTab): Promise<void> {
  const { world } = tab;
  const left = new Set(world.operations);
  for (let round = 0; round < CLEANING_ROUNDS && left.size > 0; round += 1) {
    for (const { identity, outcome } of (await pushOnce(tab, [...left].slice(0, 50))) ?? [])
      if (outcome === 'accepted' || outcome === 'already-accepted') left.delete(identity);
    await tab.sleep(left.size > 0 ? 2_000 : 0);
  }
  if (left.size > 0) world.blame(`never accepted: ${[...left].join(', ')}`);
  for (let round = 0; round < CLEANING_ROUNDS; round += 1) {
    await pullOnce(tab);
    if (world.disk.readCursor() === world.upstream.log.length) return;
  }
  world.blame('the pulls never caught up');
}

/** Enough of a failure to see what it is, and the command that has it again. */
export function describeFailure(seed: number, { violations }: RunResult): string {
  const shown = violations.slice(0, 6).map(({ rule, message }) => `    ${rule}: ${message}`);
  const more =
    violations.length > shown.length ? [`    … ${String(violations.length - shown.length)} more`] : [];
  const again = `SIM_SEED=${String(seed)} SIM_TRACE=1 npx vitest run --project node test/simulation`;
  return [`  seed ${String(seed)} (${again})`, ...shown, ...more].join('\n');
}
