import { BrowserPlatform } from './browser-platform';
import type { TabPlatform } from './platform';

/** What Chromium tells the document and not the window. */
const OF_THE_DOCUMENT: readonly string[] = ['freeze', 'resume'];

class BrowserTabPlatform extends BrowserPlatform implements TabPlatform {
  readonly page: TabPlatform['page'] = {
    addEventListener: (type, listener, options) => {
      const target: EventTarget = OF_THE_DOCUMENT.includes(type) ? document : window;
      target.addEventListener(type, listener, options);
    },
  };
}

export const browserTabPlatform: TabPlatform = new BrowserTabPlatform();
