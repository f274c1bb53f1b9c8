import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SURVIVORS_PATH = join(import.meta.dirname, 'survivors.md');

/** The mutants that are known to survive, each below its reason: the indented lines of `survivors.md`. */
export function readKnownSurvivors(): ReadonlySet<string> {
  if (!existsSync(SURVIVORS_PATH)) return new Set();
  const lines = readFileSync(SURVIVORS_PATH, 'utf8').split('\n');
  return new Set(lines.filter((line) => line.startsWith('    ')).map((line) => line.trim()));
}
