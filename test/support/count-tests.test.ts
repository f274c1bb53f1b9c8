import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addCounts, countVitestRun } from './count-tests';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidelock-counts-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** A report as Vitest writes it: each file's status, and its tests' statuses. */
function writeReport(files: Readonly<Record<string, readonly string[]>>): string {
  const statuses = Object.values(files).flat();
  const path = join(folder, 'report.json');
  const report = {
    numPassedTests: statuses.filter((status) => status === 'passed').length,
    numFailedTests: statuses.filter((status) => status === 'failed').length,
    testResults: Object.entries(files).map(([file, tests]) => ({
      status: file.startsWith('broken') || tests.includes('failed') ? 'failed' : 'passed',
      assertionResults: tests.map((status) => ({ status })),
    })),
  };
  writeFileSync(path, JSON.stringify(report));
  return path;
}

describe('counting a Vitest run', () => {
  test('passed and failed tests are counted, skipped ones are not', () => {
    const path = writeReport({ a: ['passed', 'failed', 'skipped'], b: ['passed'] });
    expect(countVitestRun(path, 1)).toEqual({ passed: 2, failed: 1 });
  });

  test('a file that could not be imported is one failure', () => {
    const path = writeReport({ a: ['passed'], 'broken import': [] });
    expect(countVitestRun(path, 1)).toEqual({ passed: 1, failed: 1 });
  });

  test('a file whose tests pass and whose clean-up fails is one failure', () => {
    const path = writeReport({ 'broken afterAll': ['passed', 'passed'] });
    expect(countVitestRun(path, 1)).toEqual({ passed: 2, failed: 1 });
  });

  test('a run that ended badly with nothing but passed tests is one failure', () => {
    expect(countVitestRun(writeReport({ a: ['passed'] }), 1)).toEqual({ passed: 1, failed: 1 });
  });

  test('a run that left no report is one failure, whatever its exit code', () => {
    expect(countVitestRun(join(folder, 'nothing.json'), 0)).toEqual({ passed: 0, failed: 1 });
  });

  test('counts add up', () => {
    expect(addCounts({ passed: 1, failed: 2 }, { passed: 10, failed: 20 })).toEqual({
      passed: 11,
      failed: 22,
    });
  });
});
