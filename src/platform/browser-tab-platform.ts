import { BrowserPlatform } from './browser-platform';
import type { TabPlatform } from './platform';

class BrowserTabPlatform extends BrowserPlatform implements TabPlatform {
  get page(): TabPlatform['page'] {
    return window;
  }
}

export const browserTabPlatform: TabPlatform = new BrowserTabPlatform();
