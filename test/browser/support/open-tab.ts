import { commands } from 'vitest/browser';
import '../commands';
import { ISOLATED } from './isolated';

/** A module's exports that a test may call in a tab: functions whose arguments and results are plain data. */
export type PageModule = Readonly<Record<string, (...args: never[]) => unknown>>;

export interface OpenTabOptions {
  /** Path of a page module from the repository's root, for example `/test/browser/pages/notes.ts`. */
  readonly module?: string;
  /** Another page of the test server; the default is the empty tab page. */
  readonly path?: string;
  /** Globals that are taken from the page before its module loads, for example `SharedWorker`. */
  readonly without?: readonly string[];
  /** `insecure`: plain http and not localhost. `isolated`: cross-origin isolated, whatever the others are. */
  readonly origin?: 'insecure' | 'isolated';
}

/** A real browser tab. Calls reject when the tab is closed or crashes under them. */
export class Tab<Page extends PageModule = PageModule> {
  readonly id: string;

  constructor(id: string) {
    this.id = id;
  }

  /**
   * Runs `work` in the tab. Its source text travels, so it can use its argument and globals and nothing else; argument
   * and result are plain data.
   */
  async evaluate<Result>(work: () => Result): Promise<Awaited<Result>>;
  async evaluate<Argument, Result>(
    work: (argument: Argument) => Result,
    argument: Argument,
  ): Promise<Awaited<Result>>;
  async evaluate(work: (argument?: unknown) => unknown, argument?: unknown): Promise<unknown> {
    return commands.tabEvaluate(this.id, work.toString(), [argument ?? null]);
  }

  /** Calls an export of the tab's page module. */
  async call<Name extends keyof Page & string>(
    name: Name,
    ...args: Parameters<Page[Name]>
  ): Promise<Awaited<ReturnType<Page[Name]>>> {
    const result = await commands.tabEvaluate(this.id, '(call) => tab.call(call.name, call.args)', [
      { name, args },
    ]);
    // The page module's own type says what its exports return; Playwright copied the value.
    return result as Awaited<ReturnType<Page[Name]>>;
  }

  /** Another tab of the same address, with a copy of this one's session storage. */
  async duplicate(): Promise<Tab<Page>> {
    return new Tab<Page>(await commands.tabDuplicate(this.id));
  }

  /** Closes it as a user does. */
  async close(): Promise<void> {
    await commands.tabClose(this.id);
  }

  /** Kills its process: no `pagehide`, no goodbye. */
  async crash(): Promise<void> {
    await commands.tabCrash(this.id);
  }

  async reload(): Promise<void> {
    await commands.tabReload(this.id);
  }

  /** Leaves the page, which may go into the back/forward cache. */
  async goto(path: string): Promise<void> {
    await commands.tabGoto(this.id, path);
  }

  async goBack(): Promise<void> {
    await commands.tabGoBack(this.id);
  }

  /** Terminates the workers the page made, and says how many there were. */
  async terminateWorkers(): Promise<number> {
    return commands.tabTerminateWorkers(this.id);
  }

  /** Uncaught and console errors so far. */
  async errors(): Promise<string[]> {
    return commands.tabErrors(this.id);
  }
}

/**
 * Opens a tab on the test server.
 *
 * @example
 * const tab = await openTab<typeof import('../pages/notes')>({ module: '/test/browser/pages/notes.ts' });
 * await tab.call('addNote', 'n-1', 'hello');
 * await tab.crash();
 */
export async function openTab<Page extends PageModule = PageModule>(
  options: OpenTabOptions = {},
): Promise<Tab<Page>> {
  const { path = '/test/browser/pages/tab.html', module, without = [], origin } = options;
  const prefix = origin === 'isolated' ? ISOLATED : '';
  const query = new URLSearchParams(without.map((name) => ['without', name]));
  if (module !== undefined) query.set('module', prefix + module);
  const address = `${prefix}${path}${query.size === 0 ? '' : `?${query.toString()}`}`;
  return new Tab<Page>(
    origin === 'insecure' ? await commands.tabOpenInsecure(address) : await commands.tabOpen(address),
  );
}
