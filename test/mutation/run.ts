/**
 * `npm run mutation`: changes the stores in one place after the other, and looks whether the recorded traces or a test
 * notices. Ends with how many were killed; fails where a survivor has no reason in `survivors.md`, or where one in
 * twenty survives. Takes hours, below everything else on the machine.
 *
 *   -- --sample 40 --seed 7   a random sample          -- --file permit-rows   files whose path contains this
 *   -- --resume               go on where the last run was cut short
 *   -- --again                only what survived last time
 *   -- --quick                without the model, the crash points and the costs, which take most of a survivor's time
 *   -- --only stores-gaps     only by the traces and tests whose name contains this: what survived, after new tests
 *   -- --judges 2             so many at once
 *
 * Cheapest: `--quick`, then `--again`. A result stands as long as the file that it changes is as it was; delete the
 * lines of others from .cache/mutation/results.ndjson and go on with `--resume`.
 */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { readTraces } from '../conformance/read-traces';
import { makeRandom } from '../support/random';
import { repositoryRoot } from '../support/repository-root';
import { CheckOrder, TRACES } from './check-order';
import { findMutants } from './find-mutants';
import { JudgeProcess } from './judge-process';
import { applyMutant, type Mutant } from './mutant';
import { addResult, clearResults, readResults, type Result } from './results';
import { readSources } from './sources';
import { readKnownSurvivors } from './survivors';

const TEST_FOLDERS = ['test/stores', 'test/stores-gaps', 'test/gateway'];
/** They do not look at what the stores do. */
const UNRELATED = [
  'test/stores/migrations.test.ts',
  'test/gateway/boundary.test.ts',
  'test/gateway/handlers.test.ts',
];
const SLOW = ['test/stores/model.test.ts', 'test/stores/crash.test.ts', 'test/stores-gaps/cost.test.ts'];
const SURVIVORS_MAX = 0.05;
/** A mutant may take so many times what the sources as they are take, of the processor's time. */
const PATIENCE = 3;
const BUDGET_MIN_MS = 10_000;
const FIRST_BUDGET_MS = 600_000;

const { values: options } = parseArgs({
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    file: { type: 'string', default: '' },
    resume: { type: 'boolean', default: false },
    again: { type: 'boolean', default: false },
    judges: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  const before = readResults();
  const texts = new Map(readSources().map(({ path, text }) => [path, text]));
  const mutants = select(readSources().flatMap(findMutants), before);
  if (!options.resume && !options.again && options.sample === undefined) clearResults();
  const results = new Map<string, Result>();
  const open = mutants.filter(({ key }) => {
    const known = options.resume ? before.get(key) : undefined;
    if (known !== undefined) results.set(key, known);
    return known === undefined;
  });
  if (open.length > 0) {
    const judges = Array.from({ length: Number(options.judges) }, () => new JudgeProcess());
    try {
      const plan = await measure(judges[0]);
      for (const { path, key } of mutants) plan.order.learn(path, before.get(key)?.killedBy ?? null);
      console.log(`${open.length} mutants to judge; at most ${Math.round(plan.budgetMs / 1000)} s each`);
      const queue = open.values();
      const work = async (judge: JudgeProcess): Promise<void> => {
        for (const mutant of queue) {
          const result = await judgeMutant(judge, mutant, texts.get(mutant.path) ?? '', plan);
          results.set(mutant.key, result);
          if (options.sample === undefined) addResult(result);
          if (result.killedBy === null) console.log(`survives: ${mutant.line} ${result.key}`);
          if (results.size % 100 === 0) console.log(`${results.size} of ${mutants.length}`);
        }
      };
      await Promise.all(judges.map(work));
    } finally {
      for (const judge of judges) judge.close();
    }
  }
  report([...results.values()]);
}

interface Plan {
  readonly order: CheckOrder;
  readonly budgetMs: number;
}

async function judgeMutant(
  judge: JudgeProcess,
  mutant: Mutant,
  text: string,
  { order, budgetMs }: Plan,
): Promise<Result> {
  const replaced = { path: mutant.path, text: applyMutant(text, mutant) };
  const { killedBy } = await judge.judge({ replaced, checks: order.for(mutant.path), budgetMs });
  order.learn(mutant.path, killedBy);
  return { key: mutant.key, killedBy };
}

/** The sources as they are pass everything. */
async function measure(judge: JudgeProcess | undefined): Promise<Plan> {
  if (judge === undefined) throw new RangeError('no judge');
  const left = options.quick ? [...UNRELATED, ...SLOW] : UNRELATED;
  const testFiles = TEST_FOLDERS.flatMap(listTests).filter((file) => !left.includes(file));
  const traces = [...readTraces(join(repositoryRoot, 'test/conformance/traces.ndjson.gz'))];
  const checks = [...traces.map(({ name }) => TRACES + name), ...testFiles].filter((check) =>
    check.includes(options.only),
  );
  const verdict = await judge.judge({ replaced: null, checks, budgetMs: FIRST_BUDGET_MS });
  if (verdict.killedBy !== null) throw new Error(`the sources as they are fail: ${verdict.killedBy}`);
  const { times, cpuMs } = verdict;
  return { order: new CheckOrder(times, SLOW), budgetMs: Math.max(BUDGET_MIN_MS, cpuMs * PATIENCE) };
}

function listTests(folder: string): readonly string[] {
  const names = readdirSync(join(repositoryRoot, folder));
  return names.filter((name) => name.endsWith('.test.ts')).map((name) => `${folder}/${name}`);
}

function select(mutants: readonly Mutant[], before: ReadonlyMap<string, Result>): readonly Mutant[] {
  const wanted = mutants.filter(
    ({ path, key }) => path.includes(options.file) && (!options.again || before.get(key)?.killedBy === null),
  );
  if (options.sample === undefined) return wanted;
  const random = makeRandom(Number(options.seed));
  const shuffled = wanted.map((mutant) => [random(), mutant] as const).toSorted(([a], [b]) => a - b);
  return shuffled.slice(0, Number(options.sample)).map(([, mutant]) => mutant);
}

function report(results: readonly Result[]): void {
  const survivors = results.filter(({ killedBy }) => killedBy === null);
  const known = readKnownSurvivors();
  const unexplained = survivors.filter(({ key }) => !known.has(key));
  const share = survivors.length / Math.max(1, results.length);
  for (const [folder, { judged, killed }] of countByFolder(results)) {
    console.log(`${folder}: ${judged} judged, ${killed} killed, ${judged - killed} survive`);
  }
  for (const { key } of unexplained) console.log(`without a reason: ${key}`);
  console.log(
    `${results.length} mutants, ${results.length - survivors.length} killed, ` +
      `${survivors.length} survive (${(share * 100).toFixed(1)} %), ${unexplained.length} without a reason`,
  );
  process.exitCode = unexplained.length > 0 || share >= SURVIVORS_MAX ? 1 : 0;
}

function countByFolder(results: readonly Result[]) {
  const counts = new Map<string, { judged: number; killed: number }>();
  for (const { key, killedBy } of results) {
    const folder = dirname(key.split(' ')[0] ?? '');
    const { judged, killed } = counts.get(folder) ?? { judged: 0, killed: 0 };
    counts.set(folder, { judged: judged + 1, killed: killed + (killedBy === null ? 0 : 1) });
  }
  return counts;
}

await main();
