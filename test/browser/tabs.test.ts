import { describe, expect, test } from 'vitest';
import { commands, server } from 'vitest/browser';
import { mustGetEngine } from './support/engine';
import { openTab, type Tab } from './support/open-tab';

/** Takes the lock in the tab and keeps it until the tab is gone. */
async function holdLock(tab: Tab, name: string): Promise<void> {
  await tab.evaluate(async (lock) => {
    await new Promise<void>((granted) => {
      void navigator.locks.request(lock, () => {
        granted();
        return new Promise(() => undefined);
      });
    });
  }, name);
}

async function isLockFree(name: string): Promise<boolean> {
  return navigator.locks.request(name, { ifAvailable: true }, (lock) => lock !== null);
}

/** Settles when the lock is granted to the test page: the browser's word that the holder is gone. */
async function waitForLock(name: string): Promise<void> {
  await navigator.locks.request(name, { signal: AbortSignal.timeout(5_000) }, () => undefined);
}

function freshName(): string {
  return `tabs-test-${crypto.randomUUID()}`;
}

describe('real tabs', () => {
  test('two tabs and the test page share Web Locks', async () => {
    const name = freshName();
    const holder = await openTab();
    const other = await openTab();
    await holdLock(holder, name);
    expect(await isLockFree(name)).toBe(false);
    const freeForOther = await other.evaluate(
      (lock) => navigator.locks.request(lock, { ifAvailable: true }, (granted) => granted !== null),
      name,
    );
    expect(freeForOther).toBe(false);
  });

  test('two tabs share OPFS', async () => {
    const name = freshName();
    const writer = await openTab();
    const reader = await openTab();
    await writer.evaluate(async (file) => {
      const root = await navigator.storage.getDirectory();
      const writable = await (await root.getFileHandle(file, { create: true })).createWritable();
      await writable.write('from the other tab');
      await writable.close();
    }, name);
    const text = await reader.evaluate(async (file) => {
      const root = await navigator.storage.getDirectory();
      return (await (await root.getFileHandle(file)).getFile()).text();
    }, name);
    expect(text).toBe('from the other tab');
  });

  test('a crash releases the lock, runs no goodbye, and leaves the other tab alive', async () => {
    const name = freshName();
    const holder = await openTab();
    const survivor = await openTab();
    await holdLock(holder, name);
    await holder.evaluate((key) => {
      addEventListener('pagehide', () => localStorage.setItem(key, 'goodbye'));
    }, name);
    await holder.crash();
    await waitForLock(name);
    expect(localStorage.getItem(name)).toBeNull();
    expect(await survivor.evaluate(() => document.title)).toBe('tab');
    expect((await commands.tabList()).map((tab) => tab.state)).toEqual(['crashed', 'open']);
  });

  test('a call under way is rejected when its tab crashes', async () => {
    const tab = await openTab();
    const call = tab.evaluate(() => new Promise(() => undefined));
    const rejected = expect(call).rejects.toThrow(/crash|closed/i);
    await tab.crash();
    await rejected;
  });

  test('closing a tab releases its lock and takes it off the list', async () => {
    const name = freshName();
    const tab = await openTab();
    await holdLock(tab, name);
    await tab.close();
    await waitForLock(name);
    expect(await commands.tabList()).toEqual([]);
  });

  test('reloading a tab releases its lock and loads the page again', async () => {
    const name = freshName();
    const tab = await openTab();
    await holdLock(tab, name);
    await tab.reload();
    await waitForLock(name);
    expect(await tab.evaluate(() => document.readyState)).toBe('complete');
  });

  test('a page that is left comes back as it was, if the engine does not mind that it held a lock', async () => {
    const comesBack = async (lock: string | null): Promise<boolean> => {
      // Served as it is, without the test server's client, whose socket may keep a page out of the cache.
      const tab = await openTab({ path: '/demo/public/board.png' });
      await tab.evaluate(async (name) => {
        Object.assign(globalThis, { isAsItWas: true });
        if (name === null) return;
        await new Promise<void>((granted) => {
          void navigator.locks.request(name, async () => {
            granted();
            await new Promise((left) => addEventListener('pagehide', left));
          });
        });
      }, lock);
      await tab.goto('/test/browser/pages/tab.html');
      await tab.goBack();
      return tab.evaluate(() => 'isAsItWas' in globalThis);
    };
    expect(await comesBack(null)).toBe(true);
    expect(await comesBack(freshName())).toBe(mustGetEngine(server.browser).cachesPagesThatHeldLocks);
  });

  test('terminating the workers of a tab releases the locks they held', async () => {
    const name = freshName();
    const tab = await openTab();
    await tab.evaluate(async (lock) => {
      const source = `navigator.locks.request(${JSON.stringify(lock)}, () => {
        postMessage('held');
        return new Promise(() => undefined);
      });`;
      const worker = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
      await new Promise((held) => worker.addEventListener('message', held));
    }, name);
    expect(await isLockFree(name)).toBe(false);
    expect(await tab.terminateWorkers()).toBe(1);
    await waitForLock(name);
  });

  test('a page module is imported from the test server and its exports can be called', async () => {
    const tab = await openTab<typeof import('./pages/echo')>({ module: '/test/browser/pages/echo.ts' });
    expect(await tab.call('echo', { text: 'hello', count: 2 })).toEqual({ text: 'hello', count: 2 });
    await expect(tab.call('fail', 'this message')).rejects.toThrow('this message');
  });

  test('OPFS is on disk: the profile is persistent, not incognito', async () => {
    // An incognito context reports a quota taken from memory; a profile on disk gets a share of the disk.
    const { quota = 0 } = await navigator.storage.estimate();
    expect(quota).toBeGreaterThan(1_000_000_000);
  });
});
