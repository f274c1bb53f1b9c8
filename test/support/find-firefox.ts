import { ensureBrowser, findBrowser, type BrowserSearch } from './find-browser.ts';

/** Playwright's own Firefox is another program, driven in another way: the tests are for the one people have. */
const FIREFOX: BrowserSearch = {
  title: 'Firefox',
  variable: 'FIREFOX_PATH',
  systemNames: ['firefox-esr', 'firefox'],
  debianPackage: ['--no-install-recommends', 'firefox-esr'],
  howToGetOne: [
    'FIREFOX_PATH=/path/to/firefox npm run test:firefox',
    'apt-get install firefox-esr         (Debian, as root)',
  ],
};

/** The Firefox the tests drive, or undefined; see `findBrowser`. */
export function findFirefox(): string | undefined {
  return findBrowser(FIREFOX);
}

/** As `findFirefox`, but installs the Debian package first where that is possible, or says what to do. */
export function ensureFirefox(): string {
  return ensureBrowser(FIREFOX);
}
