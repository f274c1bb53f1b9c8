import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { createServer } from 'node:net';
import type { Readable } from 'node:stream';
import { mustFindWebkit } from './find-webkit';
import { WebDriver } from './web-driver';

export interface OpenWebkit {
  readonly driver: WebDriver;
  /** Ends the browser, its driver and its screen. May be called twice. */
  close(): Promise<void>;
}

const START_TIMEOUT_MS = 30_000;
const LOOK_AGAIN_MS = 50;

/** Starts WebKitGTK's MiniBrowser with an empty profile that dies with it, for tests that run in Node. */
export async function openWebkit(): Promise<OpenWebkit> {
  const programs = mustFindWebkit();
  const children: ChildProcess[] = [];
  const start = (program: string, args: readonly string[], options: SpawnOptions): ChildProcess => {
    const child = spawn(program, args, options);
    children.push(child);
    child.once('error', (error) => console.error(`Cannot run "${program}": ${error.message}`));
    return child;
  };
  const killAll = (): void => children.forEach((child) => void child.kill());
  process.once('exit', killAll);
  let driver: WebDriver | undefined;
  const close = async (): Promise<void> => {
    process.off('exit', killAll);
    await driver?.quit().catch(() => undefined); // it may be gone already
    driver = undefined;
    killAll();
  };
  try {
    const screen = start(
      programs.display,
      ['-displayfd', '3', '-screen', '0', '1024x768x24', '-nolisten', 'tcp'],
      {
        stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      },
    );
    const display = await readLine(screen.stdio[3] as Readable); // the fourth entry of `stdio` above
    const port = await findFreePort();
    start(programs.driver, [`--port=${String(port)}`, '--host=127.0.0.1'], {
      stdio: 'ignore',
      // Neither a desktop's message bus nor its screen readers: the browser would wait for them.
      env: {
        ...process.env,
        DISPLAY: `:${display}`,
        DBUS_SESSION_BUS_ADDRESS: 'disabled:',
        NO_AT_BRIDGE: '1',
      },
    });
    const origin = `http://127.0.0.1:${String(port)}`;
    await waitUntilItListens(`${origin}/status`);
    driver = await WebDriver.start(origin, programs.browser);
    return { driver, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function readLine(stream: Readable): Promise<string> {
  const signal = AbortSignal.timeout(START_TIMEOUT_MS);
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('The screen did not start.')));
    stream.once('data', (chunk) => resolve(String(chunk).trim()));
  });
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No free port was found.');
  return address.port;
}

async function waitUntilItListens(url: string): Promise<void> {
  const untilMs = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok === true) return;
    if (Date.now() > untilMs)
      throw new Error(`Nobody listens at ${url} after ${String(START_TIMEOUT_MS)} ms.`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
