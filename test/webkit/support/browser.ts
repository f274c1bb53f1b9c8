/**
 * Real tabs of WebKit for a test file. Work is begun in a tab by WebDriver and tells its end to the page server, so
 * that any number of tabs work at the same time; a tab that is closed or left rejects what it had not answered.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { bundle } from '../../browser/support/bundle-pages';
import { repositoryRoot } from '../../support/repository-root';
import { openWebkit, type OpenWebkit } from './open-webkit';
import { startPageServer, type PageServer } from './page-server';
import { WebkitTab, type PageModule } from './tab';

const PAGE = 'test/webkit/pages/coordination.ts';
const TAB_PAGE = 'test/browser/pages/tab.html';

const answerSchema = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), value: z.unknown().optional() }),
  z.object({ ok: z.literal(false), error: z.string() }),
]);

/** In the page: `arguments` are the id of the work, a function's source, and its one argument. */
const BEGIN = `
  const [id, source, argument] = arguments;
  const tell = (answer) => fetch('/answers/' + id, { method: 'POST', body: JSON.stringify(answer) });
  void (async () => (0, eval)('(' + source + ')')(argument))().then(
    (value) => tell({ ok: true, value }),
    (error) => tell({ ok: false, error: String(error) }),
  );
`;

interface Work {
  readonly tab: string;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class WebkitBrowser {
  readonly #webkit: OpenWebkit;
  readonly #works = new Map<string, Work>();
  readonly #tabs = new Set<string>();
  #server: PageServer | undefined;
  #lastWork = 0;

  private constructor(webkit: OpenWebkit) {
    this.#webkit = webkit;
  }

  /** The caller ends it by `close`. */
  static async open(): Promise<WebkitBrowser> {
    const folder = join(repositoryRoot, '.cache/webkit');
    await bundle(repositoryRoot, folder, [PAGE]);
    const browser = new WebkitBrowser(await openWebkit());
    browser.#server = await startPageServer({
      folder,
      tabPage: join(repositoryRoot, TAB_PAGE),
      onAnswer: (id, json) => browser.#hear(id, json),
    });
    return browser;
  }

  /** A tab on the page module of the tests. */
  async openTab<Page extends PageModule>(): Promise<WebkitTab<Page>> {
    const handle = await this.#webkit.driver.openWindow();
    this.#tabs.add(handle);
    return this.#load(handle);
  }

  /** The tab that the browser came with, which stays: without one the browser ends. */
  async openHome<Page extends PageModule>(): Promise<WebkitTab<Page>> {
    return this.#load(await this.#webkit.driver.firstWindow());
  }

  async #load<Page extends PageModule>(handle: string): Promise<WebkitTab<Page>> {
    const { driver } = this.#webkit;
    await driver.goto(handle, this.#url('/tab.html?module=/coordination.js'));
    return new WebkitTab<Page>({
      id: handle,
      run: (source, argument) => this.#run(handle, source, argument),
      reload: async () => {
        this.#forget(handle, 'was reloaded');
        await driver.reload(handle);
      },
      goto: async (path) => {
        this.#forget(handle, 'was left');
        await driver.goto(handle, this.#url(path));
      },
      goBack: async () => {
        this.#forget(handle, 'was left');
        await driver.goBack(handle);
      },
      close: () => this.#closeTab(handle),
    });
  }

  async closeTabs(): Promise<void> {
    for (const handle of [...this.#tabs]) await this.#closeTab(handle);
  }

  async close(): Promise<void> {
    await this.#webkit.close();
    await this.#server?.close();
  }

  async #closeTab(handle: string): Promise<void> {
    if (!this.#tabs.delete(handle)) return;
    await this.#webkit.driver.closeWindow(handle);
    this.#forget(handle, 'was closed');
  }

  #url(path: string): string {
    return new URL(path, this.#server?.origin).href;
  }

  #run(tab: string, source: string, argument: unknown): Promise<unknown> {
    const id = `work-${String(++this.#lastWork)}`;
    return new Promise((resolve, reject) => {
      this.#works.set(id, { tab, resolve, reject });
      this.#webkit.driver.begin(tab, BEGIN, [id, source, argument]).catch((error: unknown) => {
        this.#works.delete(id);
        reject(error instanceof Error ? error : new Error(String(error)));
      });
    });
  }

  #hear(id: string, json: string): void {
    const work = this.#works.get(id);
    this.#works.delete(id);
    const answer = answerSchema.parse(JSON.parse(json));
    if (answer.ok) work?.resolve(answer.value);
    else work?.reject(new Error(answer.error));
  }

  /** No work in a tab that is gone waits for ever. */
  #forget(tab: string, why: string): void {
    for (const [id, work] of this.#works) {
      if (work.tab !== tab) continue;
      this.#works.delete(id);
      work.reject(new Error(`The tab ${why} under the call.`));
    }
  }
}
