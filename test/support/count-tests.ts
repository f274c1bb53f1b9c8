import { readFileSync } from 'node:fs';
import { z } from 'zod';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

/** What is read of Vitest's JSON report. A file that could not be imported has failed and has no assertions. */
const reportSchema = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(
    z.object({
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string() })),
    }),
  ),
});

export function addCounts(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed };
}

/** The last line a runner prints, and its exit code: 0 only when nothing failed. */
export function tellTotal({ passed, failed }: Counts): void {
  console.log(`\n${String(passed)} passed, ${String(failed)} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

/**
 * Counts the tests of a finished Vitest run. A run that ended badly has at least one failure, even when every test it
 * reports has passed (an unhandled error) or it reports none (it crashed).
 */
export function countVitestRun(reportPath: string, exitCode: number): Counts {
  const counts = readReport(reportPath);
  if (counts === undefined) return { passed: 0, failed: 1 };
  return exitCode !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

function readReport(path: string): Counts | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
  const report = reportSchema.parse(JSON.parse(text));
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  );
  return { passed: report.numPassedTests, failed: report.numFailedTests + brokenFiles.length };
}
