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

  async isGone(url: string | null): Promise<boolean> {
    if (url === null) return false;
    try {
      const { status, ok, headers } = await fetch(url, { method: 'HEAD', cache: 'no-store' });
      // Servers of single-page apps answer with their page for whatever they do not have; a gateway that is down, with one of its own.
      const isPage = headers.get('content-type')?.startsWith('text/html') === true;
      return status === 404 || status === 410 || (ok && isPage);
    } catch {
      return false; // no network, or an address that cannot be fetched
    }
  }

  get storage(): TabPlatform['storage'] {
    return navigator.storage;
  }
}

export const browserTabPlatform: TabPlatform = new BrowserTabPlatform();
