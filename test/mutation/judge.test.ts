import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readTraces } from '../conformance/read-traces';
import { repositoryRoot } from '../support/repository-root';
import { TRACES } from './check-order';
import { findMutants } from './find-mutants';
import { JudgeProcess } from './judge-process';
import { applyMutant } from './mutant';
import { readSources } from './sources';

/** Safety rules, each by a part of the key of a mutant that breaks it. */
const BROKEN_RULES = [
  'worker/stores/coordinator/ownership-transfer.ts · statement removed · assertDrained',
  'worker/stores/coordinator/workspace-switch.ts · arithmetic · coordinatorGeneration: state.coordinatorGeneration + 1',
  'worker/stores/coordinator/settle-commands.ts · sql: comparison · AND expected_coordinator_generation < ?4',
  'worker/stores/coordinator/restart-recovery.ts · arithmetic · coordinatorGeneration: state.coordinatorGeneration + 1',
  'src/domain/admission.ts · statement removed · assertGeneration(admission, work);',
  'src/domain/admission.ts · boundary · if (deadlineMs !== undefined && deadlineMs > nowMs)',
  'src/domain/permit-fence.ts · condition false · if (permit.serverInstanceId !== fence.serverInstanceId)',
  'src/domain/command-intent.ts · element removed',
  'worker/stores/permits/abandon.ts · statement removed · insertObligation',
  'worker/stores/permits/complete-mutation.ts · statement removed · settle();',
  'worker/stores/permits/recover-permits.ts · statement removed · for (const permit of pending) blocked.block',
  'worker/stores/permits/resolve-refetches.ts · statement removed · assertCommitted',
];

/** The quick ones: those that repeat steps a thousand times are left out. */
const traces = [...readTraces(join(repositoryRoot, 'test/conformance/traces.ndjson.gz'))]
  .filter(({ steps }) => !steps.some(({ op }) => op === 'world.repeat'))
  .toSorted((a, b) => a.steps.length - b.steps.length)
  .map(({ name }) => TRACES + name);

/** The short form of `npm run mutation`: if these lived on, the judge would be blind and every number of its worthless. */
test(
  'a judge notices by the recorded traces when a safety rule is broken',
  { timeout: 120_000 },
  async () => {
    const sources = readSources();
    const judge = new JudgeProcess({ nice: 0 });
    onTestFinished(() => judge.close());
    const judgeText = (path: string, text: string) =>
      judge.judge({ replaced: { path, text }, checks: traces, budgetMs: 60_000 });

    const [unbroken] = sources;
    if (unbroken === undefined) throw new Error('no sources');
    expect((await judgeText(unbroken.path, unbroken.text)).killedBy).toBeNull();

    const mutants = sources.flatMap((source) => findMutants(source).map((mutant) => ({ mutant, source })));
    for (const rule of BROKEN_RULES) {
      const found = mutants.find(({ mutant }) => mutant.key.startsWith(rule));
      if (found === undefined) throw new Error(`no mutant "${rule}" any more; name another`);
      const { mutant, source } = found;
      const { killedBy } = await judgeText(mutant.path, applyMutant(source.text, mutant));
      expect(killedBy, mutant.key).toEqual(expect.stringMatching(/^traces: /));
    }
  },
);
