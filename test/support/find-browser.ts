/** Finds a browser for the tests to drive: the part that is the same for every engine. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { spawnSync } from 'node:child_process';

export interface BrowserSearch {
  /** As people call it, for messages. */
  readonly title: string;
  /** The environment variable that names one. */
  readonly variable: string;
  /** Programs on `PATH`, the best first. */
  readonly systemNames: readonly string[];
  /** Where Playwright would put its own, where such a one can be used. */
  readonly ownPath?: () => string;
  /** Arguments to `apt-get install` on Debian. */
  readonly debianPackage: readonly string[];
  /** What helps where none is found, a line each. */
  readonly howToGetOne: readonly string[];
}

/**
 * Looks and nothing more: the environment's variable, then a system browser on `PATH`, then Playwright's own.
 *
 * @throws Error when the variable is set and is not an executable file: a wrong setting must not pass unseen.
 */
export function findBrowser({ variable, systemNames, ownPath }: BrowserSearch): string | undefined {
  const asked = process.env[variable];
  if (asked !== undefined && asked !== '') {
    if (isExecutable(asked)) return asked;
    throw new Error(`Cannot run $${variable} "${asked}": set it to an executable browser, or unset it.`);
  }
  for (const name of systemNames) {
    const path = findOnPath(name);
    if (path !== undefined) return path;
  }
  const own = ownPath?.();
  return own !== undefined && isExecutable(own) ? own : undefined;
}

/** As `findBrowser`, but says what to do when there is none. */
export function mustFindBrowser(search: BrowserSearch): string {
  const path = findBrowser(search);
  if (path === undefined) throw new Error(explain(search));
  return path;
}

/** As `mustFindBrowser`, but installs the Debian package first where that is possible (root, apt-get). */
export function ensureBrowser(search: BrowserSearch): string {
  const found = findBrowser(search);
  if (found !== undefined) return found;
  if (process.getuid?.() === 0 && findOnPath('apt-get') !== undefined) {
    console.log(`No ${search.title} found: installing the Debian package.`);
    runOrThrow(search, 'apt-get', ['update']);
    runOrThrow(search, 'apt-get', ['install', '-y', ...search.debianPackage]);
  }
  return mustFindBrowser(search);
}

function explain({ title, howToGetOne }: BrowserSearch): string {
  return [`No ${title} was found. One of these helps:`, ...howToGetOne.map((line) => `  ${line}`)].join('\n');
}

export function findOnPath(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function runOrThrow(search: BrowserSearch, command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', timeout: 300_000 });
  if (error !== undefined) throw new Error(`Cannot run "${command} ${args.join(' ')}".`, { cause: error });
  if (status !== 0)
    throw new Error(
      `"${command} ${args.join(' ')}" ended with ${String(status)}; wanted 0.\n${explain(search)}`,
    );
}
