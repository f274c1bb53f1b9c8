import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { chromium } from 'playwright';

const SYSTEM_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'] as const;

const HOW_TO_GET_ONE = [
  'No Chromium was found. One of these helps:',
  '  CHROMIUM_PATH=/path/to/chrome npm test',
  '  apt-get install chromium            (Debian, as root)',
  '  npx playwright install chromium     (downloads one)',
].join('\n');

/**
 * The browser the tests drive, or undefined. Looks and nothing more: `$CHROMIUM_PATH`, then a system browser on PATH,
 * then the one Playwright would download.
 *
 * @throws Error when `$CHROMIUM_PATH` is set and is not an executable file: a wrong setting must not pass unseen.
 */
export function findChromium(): string | undefined {
  const asked = process.env['CHROMIUM_PATH'];
  if (asked !== undefined && asked !== '') {
    if (isExecutable(asked)) return asked;
    throw new Error(`Cannot run $CHROMIUM_PATH "${asked}": set it to an executable browser, or unset it.`);
  }
  for (const name of SYSTEM_NAMES) {
    const path = findOnPath(name);
    if (path !== undefined) return path;
  }
  const own = chromium.executablePath();
  return isExecutable(own) ? own : undefined;
}

/** As `findChromium`, but says what to do when there is none. */
export function mustFindChromium(): string {
  const path = findChromium();
  if (path === undefined) throw new Error(HOW_TO_GET_ONE);
  return path;
}

/** As `mustFindChromium`, but installs the Debian package first where that is possible (root, apt-get). */
export function ensureChromium(): string {
  const found = findChromium();
  if (found !== undefined) return found;
  if (process.getuid?.() === 0 && findOnPath('apt-get') !== undefined) {
    console.log('No Chromium found: installing the Debian package.');
    runOrThrow('apt-get', ['update']);
    runOrThrow('apt-get', ['install', '-y', 'chromium']);
  }
  return mustFindChromium();
}

function findOnPath(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function runOrThrow(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', timeout: 300_000 });
  if (error !== undefined) throw new Error(`Cannot run "${command} ${args.join(' ')}".`, { cause: error });
  if (status !== 0)
    throw new Error(
      `"${command} ${args.join(' ')}" ended with ${String(status)}; wanted 0.\n${HOW_TO_GET_ONE}`,
    );
}
