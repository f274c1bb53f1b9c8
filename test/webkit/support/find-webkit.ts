import { existsSync } from 'node:fs';
import { findOnPath, isExecutable } from '../../support/find-browser';

export interface WebkitPrograms {
  readonly driver: string;
  readonly browser: string;
  /** WebKitGTK has no headless mode: its windows are drawn on a screen that is made up. */
  readonly display: string;
}

/** `$WEBKIT_MINIBROWSER`, or one of the places where distributions put it, none of which is on PATH. */
const BROWSER_PATHS = [
  '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser',
  '/usr/lib/aarch64-linux-gnu/webkit2gtk-4.1/MiniBrowser',
  '/usr/libexec/webkit2gtk-4.1/MiniBrowser',
  '/usr/lib/webkit2gtk-4.1/MiniBrowser',
] as const;

const HOW_TO_GET_THEM = [
  'On Debian as root:',
  '  apt-get install --no-install-recommends webkit2gtk-driver xvfb',
  'A MiniBrowser elsewhere: WEBKIT_MINIBROWSER=/path/to/MiniBrowser npm run test:webkit',
].join('\n');

/** @throws Error that names what is missing and says how to get it. */
export function mustFindWebkit(): WebkitPrograms {
  const driver = findOnPath('WebKitWebDriver');
  const display = findOnPath('Xvfb');
  const asked = process.env['WEBKIT_MINIBROWSER'];
  const browser = asked ?? BROWSER_PATHS.find((path) => existsSync(path));
  const isThere = browser !== undefined && isExecutable(browser);
  if (driver !== undefined && display !== undefined && isThere) return { driver, browser, display };
  const missing = [
    ...(driver === undefined ? ['WebKitWebDriver'] : []),
    ...(isThere ? [] : [asked ?? 'MiniBrowser']),
    ...(display === undefined ? ['Xvfb'] : []),
  ];
  throw new Error(`Cannot test in WebKit: no ${missing.join(', no ')}.\n${HOW_TO_GET_THEM}`);
}
