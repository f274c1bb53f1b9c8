/**
 * `npm run test:tabs`: what can go wrong between real tabs, repeated as often as it takes to be sure, and all of it
 * twice: as an app is usually served, and cross-origin isolated.
 *
 *   build · (tabs in Chromium, as often as `TABS=full` says · kills over the demo) × (plain, isolated)
 *
 * Takes about 50 minutes on two cores. The last line is `N passed, M failed`; the exit code is 0 only when M is 0. With names
 * as arguments only those files run: `tsx test/run-tabs.ts scenarios/08`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addCounts, tellTotal, type Counts } from './support/count-tests';
import { ensureChromium } from './support/find-chromium';
import { runProgram } from './support/run-program';
import { runVitest } from './support/run-vitest';

/** Reached only by what hangs: each test has a deadline of its own. */
const DEADLINE_MS = 4 * 60 * 60_000;
const BUILD_DEADLINE_MS = 180_000;

const SUITES: readonly { readonly project: string; readonly files: readonly string[] }[] = [
  { project: 'browser', files: ['test/browser/scenarios', 'test/browser/client', 'test/browser/storage'] },
  { project: 'e2e', files: ['test/e2e/kills'] },
];

const SERVINGS = [
  { name: 'plain', env: {} },
  { name: 'isolated', env: { COI: '1' } },
] as const;

async function main(): Promise<void> {
  const asked = process.argv.slice(2);
  const reports = mkdtempSync(join(tmpdir(), 'tidelock-tabs-'));
  const env = { CHROMIUM_PATH: ensureChromium(), TABS: 'full' };
  let total: Counts = { passed: 0, failed: 0 };
  try {
    const code = await runProgram('npm', ['run', '--silent', 'build'], { deadlineMs: BUILD_DEADLINE_MS });
    if (code !== 0) total = addCounts(total, { passed: 0, failed: 1 });
    for (const serving of SERVINGS) {
      for (const { project, files } of SUITES) {
        const wanted = asked.length === 0 ? files : asked;
        console.log(`\n── ${project}, ${serving.name} ${'─'.repeat(80)}`);
        const counts = await runVitest({
          project,
          files: ['--passWithNoTests', ...wanted],
          reportPath: join(reports, `${project}-${serving.name}.json`),
          deadlineMs: DEADLINE_MS,
          env: { ...env, ...serving.env },
        });
        total = addCounts(total, counts);
      }
    }
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
  tellTotal(total);
}

await main();
