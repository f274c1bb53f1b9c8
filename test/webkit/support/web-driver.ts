/**
 * As much of WebDriver as the tests need, over plain HTTP: a session, its windows, and scripts that are begun in one.
 * Which window a command is for is state of the session, so whoever uses more than one takes turns: `inWindow`.
 */
import { z } from 'zod';

const answerSchema = z.object({ value: z.unknown() });
const sessionSchema = z.object({ sessionId: z.string() });
const windowSchema = z.object({ handle: z.string() });

/** Longest a page may take to load: reached only by what hangs. */
const PAGE_LOAD_TIMEOUT_MS = 30_000;

export class WebDriver {
  readonly #session: string;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(session: string) {
    this.#session = session;
  }

  /** Starts a browser by a driver that listens at `origin`. The caller ends it by `quit`. */
  static async start(origin: string, browser: string): Promise<WebDriver> {
    const options = { binary: browser, args: ['--automation'] };
    const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options } };
    const { sessionId } = sessionSchema.parse(await send('POST', `${origin}/session`, { capabilities }));
    const driver = new WebDriver(`${origin}/session/${sessionId}`);
    await driver.#send('POST', '/timeouts', { pageLoad: PAGE_LOAD_TIMEOUT_MS, script: PAGE_LOAD_TIMEOUT_MS });
    return driver;
  }

  /** The window that the browser came with: the session lives as long as one window does. */
  async firstWindow(): Promise<string> {
    return z.string().parse(await this.#send('GET', '/window'));
  }

  /** Opens a tab beside the others. */
  async openWindow(): Promise<string> {
    return this.#takeTurn(async () =>
      windowSchema.parse(await this.#send('POST', '/window/new', { type: 'tab' })),
    ).then(({ handle }) => handle);
  }

  /** Loads a page and waits for its load event. */
  async goto(handle: string, url: string): Promise<void> {
    await this.#inWindow(handle, 'POST', '/url', { url });
  }

  async reload(handle: string): Promise<void> {
    await this.#inWindow(handle, 'POST', '/refresh', {});
  }

  async goBack(handle: string): Promise<void> {
    await this.#inWindow(handle, 'POST', '/back', {});
  }

  /** Runs a function body, whose `arguments` are these, and does not wait for anything that it begins. */
  async begin(handle: string, body: string, args: readonly unknown[]): Promise<void> {
    await this.#inWindow(handle, 'POST', '/execute/sync', { script: body, args });
  }

  /** As a user closes it. */
  async closeWindow(handle: string): Promise<void> {
    await this.#inWindow(handle, 'DELETE', '/window');
  }

  /** Ends the browser. */
  async quit(): Promise<void> {
    await this.#takeTurn(() => this.#send('DELETE', ''));
  }

  async #inWindow(handle: string, method: string, path: string, body?: unknown): Promise<void> {
    await this.#takeTurn(async () => {
      await this.#send('POST', '/window', { handle });
      await this.#send(method, path, body);
    });
  }

  async #takeTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined); // told to whoever asked
    return done;
  }

  async #send(method: string, path: string, body?: unknown): Promise<unknown> {
    return send(method, `${this.#session}${path}`, body);
  }
}

async function send(method: string, url: string, body: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { value } = answerSchema.parse(await response.json());
  if (!response.ok)
    throw new Error(`WebDriver: ${method} ${new URL(url).pathname} failed: ${JSON.stringify(value)}`);
  return value;
}
