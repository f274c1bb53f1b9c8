import { fileURLToPath } from 'node:url';
import type { LaunchOptions } from 'playwright';

/**
 * How the suite starts Firefox: the release that people have, over WebDriver BiDi.
 * - `firefox.sh` starts it, so that it outlives a tab that crashes.
 * - Each tab gets a process of its own, up to this many, and a crash is one tab's alone: the tabs of one site would
 *   share four.
 * - `--remote-allow-system-access` lets a test open `about:crashcontent`, which crashes a tab's process.
 */
export function firefoxOptions(executablePath: string | undefined): LaunchOptions {
  return {
    channel: 'moz-firefox',
    ...(executablePath === undefined
      ? {}
      : {
          executablePath: fileURLToPath(new URL('./firefox.sh', import.meta.url)),
          env: { ...process.env, FIREFOX_PATH: executablePath },
        }),
    headless: true,
    args: ['--remote-allow-system-access'],
    firefoxUserPrefs: { 'dom.ipc.processCount.webIsolated': 64 },
  };
}
