import type { LaunchOptions } from 'playwright';

/**
 * How every suite starts Chromium.
 * - `--no-sandbox`: containers run as root, where Chromium's sandbox refuses to start.
 * - The back/forward cache stays on. Playwright turns it off, and with it the case where a cached page keeps the
 *   writer's lock and file handles; users have it on.
 */
export function chromiumOptions(executablePath: string | undefined): LaunchOptions {
  return {
    ...(executablePath === undefined ? {} : { executablePath }),
    headless: true,
    args: ['--no-sandbox'],
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  };
}
