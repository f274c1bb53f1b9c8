import { BrowserPlatform } from './browser-platform';
import type { TabPlatform } from './platform';

/** What browsers tell the document, and not all of them the window. */
const OF_THE_DOCUMENT: readonly string[] = ['freeze', 'resume', 'visibilitychange'];

class BrowserTabPlatform extends BrowserPlatform implements TabPlatform {
  readonly page: TabPlatform['page'] = {
    addEventListener: (type, listener, options) => {
      const target: EventTarget = OF_THE_DOCUMENT.includes(type) ? document : window;
      target.addEventListener(type, listener, options);
    },
  };

  get storage(): TabPlatform['storage'] {
    return navigator.storage;
  }
}

export const browserTabPlatform: TabPlatform = new BrowserTabPlatform();
