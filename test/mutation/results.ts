import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '../support/repository-root';

/** How one mutant ended. */
export interface Result {
  readonly key: string;
  readonly killedBy: string | null;
}

/** Kept outside of what is committed; a run that was cut short goes on from here. */
const RESULTS_PATH = join(repositoryRoot, '.cache/mutation/results.ndjson');

export function readResults(): ReadonlyMap<string, Result> {
  if (!existsSync(RESULTS_PATH)) return new Map();
  const lines = readFileSync(RESULTS_PATH, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => JSON.parse(line) as Result).map((result) => [result.key, result]));
}

export function addResult(result: Result): void {
  mkdirSync(dirname(RESULTS_PATH), { recursive: true });
  appendFileSync(RESULTS_PATH, `${JSON.stringify(result)}\n`);
}

export function clearResults(): void {
  rmSync(RESULTS_PATH, { force: true });
}
