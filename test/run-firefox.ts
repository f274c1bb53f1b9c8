/**
 * `npm run test:firefox`: what goes wrong between real tabs, in a Firefox as people have it: Debian's `firefox-esr`, or
 * the one `$FIREFOX_PATH` names. As often as `npm test` does it in Chromium.
 *
 * Takes about nine minutes on two cores. The last line is `N passed, M failed`; the exit code is 0 only when M is 0.
 * With names as arguments only those files run: `tsx test/run-firefox.ts scenarios/08`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tellTotal } from './support/count-tests';
import { ensureFirefox } from './support/find-firefox';
import { runVitest } from './support/run-vitest';

/** Reached only by what hangs: each test has a deadline of its own. */
const DEADLINE_MS = 60 * 60_000;

async function main(): Promise<void> {
  const reports = mkdtempSync(join(tmpdir(), 'tidelock-firefox-'));
  try {
    const counts = await runVitest({
      project: 'firefox',
      files: process.argv.slice(2),
      reportPath: join(reports, 'firefox.json'),
      deadlineMs: DEADLINE_MS,
      env: { FIREFOX_PATH: ensureFirefox() },
    });
    tellTotal(counts);
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
}

await main();
