import { chromium } from 'playwright';
import { ensureBrowser, findBrowser, mustFindBrowser, type BrowserSearch } from './find-browser.ts';

const CHROMIUM: BrowserSearch = {
  title: 'Chromium',
  variable: 'CHROMIUM_PATH',
  systemNames: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  ownPath: () => chromium.executablePath(),
  debianPackage: ['chromium'],
  howToGetOne: [
    'CHROMIUM_PATH=/path/to/chrome npm test',
    'apt-get install chromium            (Debian, as root)',
    'npx playwright install chromium     (downloads one)',
  ],
};

/** The Chromium the tests drive, or undefined; see `findBrowser`. */
export function findChromium(): string | undefined {
  return findBrowser(CHROMIUM);
}

/** As `findChromium`, but says what to do when there is none. */
export function mustFindChromium(): string {
  return mustFindBrowser(CHROMIUM);
}

/** As `mustFindChromium`, but installs the Debian package first where that is possible (root, apt-get). */
export function ensureChromium(): string {
  return ensureBrowser(CHROMIUM);
}
