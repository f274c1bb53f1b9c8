/**
 * `npm run test:webkit`: the tabs of one database in WebKitGTK, which is what Debian has of Safari's engine. It has no
 * OPFS to speak of, so everything is in memory: election, channels, calls and their ends, and not the files.
 *
 * The last line is `N passed, M failed`; the exit code is 0 only when M is 0. Where the browser is not installed it says
 * how to get it, and fails. With names as arguments only those files run: `tsx test/run-webkit.ts endings`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countVitestRun, type Counts } from './support/count-tests';
import { runProgram } from './support/run-program';
import { mustFindWebkit } from './webkit/support/find-webkit';

/** Many times what it takes on two cores: reached only by what hangs. */
const DEADLINE_MS = 15 * 60_000;

async function main(): Promise<void> {
  const counts = await run(process.argv.slice(2));
  console.log(`\n${String(counts.passed)} passed, ${String(counts.failed)} failed`);
  process.exitCode = counts.failed === 0 ? 0 : 1;
}

async function run(files: readonly string[]): Promise<Counts> {
  try {
    mustFindWebkit();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return { passed: 0, failed: 1 };
  }
  const reports = mkdtempSync(join(tmpdir(), 'tidelock-webkit-'));
  try {
    const report = join(reports, 'webkit.json');
    const vitest = ['vitest', 'run', '--project', 'webkit', ...files];
    const reporters = ['--reporter', 'default', '--reporter', 'json', `--outputFile.json=${report}`];
    return countVitestRun(
      report,
      await runProgram('npx', [...vitest, ...reporters], { deadlineMs: DEADLINE_MS }),
    );
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
}

await main();
