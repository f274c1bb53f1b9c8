/** A module's exports that a test may call in a tab: functions whose arguments and results are plain data. */
export type PageModule = Readonly<Record<string, (...args: never[]) => unknown>>;

export interface TabActions {
  readonly id: string;
  run(source: string, argument: unknown): Promise<unknown>;
  reload(): Promise<void>;
  goto(path: string): Promise<void>;
  goBack(): Promise<void>;
  close(): Promise<void>;
}

/**
 * As `Tab` of the tests in Chromium, as far as WebDriver goes. None can be crashed: when one page's process is killed,
 * WebKitGTK ends the whole session. A terminated worker dies without goodbye as well.
 */
export class WebkitTab<Page extends PageModule> {
  readonly id: string;
  readonly #actions: TabActions;

  constructor(actions: TabActions) {
    this.id = actions.id;
    this.#actions = actions;
  }

  /** Runs `work` in the tab. Its source text travels, so it can use its argument and globals and nothing else. */
  async evaluate<Argument, Result>(
    work: (argument: Argument) => Result,
    argument: Argument,
  ): Promise<Awaited<Result>> {
    // JSON copied what the function returned.
    return (await this.#actions.run(work.toString(), argument)) as Awaited<Result>;
  }

  /** Calls an export of the tab's page module. */
  async call<Name extends keyof Page & string>(
    name: Name,
    ...args: Parameters<Page[Name]>
  ): Promise<Awaited<ReturnType<Page[Name]>>> {
    const result = await this.#actions.run('(call) => tab.call(call.name, call.args)', { name, args });
    // The page module's own type says what its exports return; JSON copied the value.
    return result as Awaited<ReturnType<Page[Name]>>;
  }

  async reload(): Promise<void> {
    await this.#actions.reload();
  }

  /** Leaves the page, which may go into the back/forward cache. */
  async goto(path: string): Promise<void> {
    await this.#actions.goto(path);
  }

  async goBack(): Promise<void> {
    await this.#actions.goBack();
  }

  /** Closes it as a user does. */
  async close(): Promise<void> {
    await this.#actions.close();
  }

  /** Terminates the workers the page made, and says how many there were. */
  async terminateWorkers(): Promise<number> {
    return (await this.#actions.run('() => tab.terminateWorkers()', null)) as number; // as `tab.html` has it
  }
}
