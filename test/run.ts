/**
 * `npm test`: everything CI checks, one step after the other, with one count at the end.
 *
 *   format · lint · typecheck · build · node tests · browser tests · end-to-end tests
 *
 * A static step counts as one check; a Vitest run counts its tests. A step that crashes, or overruns its deadline,
 * counts as one failure and the others still run. The last line is `N passed, M failed`; the exit code is 0 only when
 * M is 0. With names as arguments only those steps run: `tsx test/run.ts lint node`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addCounts, tellTotal, type Counts } from './support/count-tests';
import { ensureChromium } from './support/find-chromium';
import { runProgram } from './support/run-program';
import { runVitest } from './support/run-vitest';

interface Step {
  readonly name: string;
  readonly kind: 'static' | 'vitest';
  readonly needsBrowser?: boolean;
  /** Many times what it takes on two cores: reached only by a step that hangs. */
  readonly deadlineMs: number;
}

const STEPS: readonly Step[] = [
  { name: 'format', kind: 'static', deadlineMs: 120_000 },
  { name: 'lint', kind: 'static', deadlineMs: 120_000 },
  { name: 'typecheck', kind: 'static', deadlineMs: 180_000 },
  { name: 'build', kind: 'static', deadlineMs: 180_000 },
  { name: 'node', kind: 'vitest', deadlineMs: 480_000 },
  { name: 'browser', kind: 'vitest', needsBrowser: true, deadlineMs: 720_000 },
  { name: 'e2e', kind: 'vitest', needsBrowser: true, deadlineMs: 720_000 },
];

const ONE_PASSED: Counts = { passed: 1, failed: 0 };
const ONE_FAILED: Counts = { passed: 0, failed: 1 };

async function main(): Promise<void> {
  const steps = selectSteps(process.argv.slice(2));
  const reports = mkdtempSync(join(tmpdir(), 'tidelock-reports-'));
  let total: Counts = { passed: 0, failed: 0 };
  const failedSteps: string[] = [];
  try {
    for (const step of steps) {
      console.log(`\n── ${step.name} ${'─'.repeat(Math.max(0, 100 - step.name.length))}`);
      const counts = await runStep(step, join(reports, `${step.name}.json`));
      if (counts.failed > 0) failedSteps.push(step.name);
      total = addCounts(total, counts);
    }
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
  if (failedSteps.length > 0) console.log(`\nFailed: ${failedSteps.join(', ')}`);
  tellTotal(total);
}

async function runStep(step: Step, reportPath: string): Promise<Counts> {
  try {
    const env = step.needsBrowser === true ? { CHROMIUM_PATH: ensureChromium() } : {};
    if (step.kind === 'static') {
      const code = await runProgram('npm', ['run', '--silent', step.name], {
        deadlineMs: step.deadlineMs,
        env,
      });
      return code === 0 ? ONE_PASSED : ONE_FAILED;
    }
    return await runVitest({ project: step.name, reportPath, deadlineMs: step.deadlineMs, env });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return ONE_FAILED;
  }
}

function selectSteps(names: readonly string[]): readonly Step[] {
  const unknown = names.find((name) => STEPS.every((step) => step.name !== name));
  if (unknown !== undefined)
    throw new Error(`Cannot run step "${unknown}": wanted ${STEPS.map((step) => step.name).join(', ')}.`);
  return names.length === 0 ? STEPS : STEPS.filter((step) => names.includes(step.name));
}

await main();
