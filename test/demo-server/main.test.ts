import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { accepted, addTask, counted, createClient, createJournalPath, task } from './setup';

// Each test starts one or two processes, which a busy machine takes its time over.
vi.setConfig({ testTimeout: 30_000 });

const MAIN = fileURLToPath(new URL('../../demo/server/main.ts', import.meta.url));

function spawnMain(...args: readonly string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exit;
  });
  return { child, exit };
}

async function startMain(...args: readonly string[]) {
  const { child, exit } = spawnMain('--port', '0', ...args);
  const line = await new Promise<string>((resolve) => createInterface(child.stdout).once('line', resolve));
  const url = /^sync server listening on (http:\/\/127\.0\.0\.1:\d+)$/.exec(line)?.[1];
  if (url === undefined) throw new Error(`first line is ${JSON.stringify(line)}, wanted the address`);
  const stop = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    await exit;
    return child.exitCode;
  };
  return { stop, ...createClient({ url }) };
}

test('a server killed after a lost answer knows the operation when it starts again', async () => {
  const journalPath = createJournalPath();
  const first = await startMain('--journal', journalPath);
  await first.push(addTask('o-1', 'a'));
  await first.arm({ next: 'lose' });
  await expect(first.push(addTask('o-2', 'b'))).rejects.toThrow();
  await first.stop('SIGKILL');

  const second = await startMain('--journal', journalPath);
  expect(await second.push(addTask('o-2', 'b'))).toEqual(accepted('o-2'));
  expect(await second.pull()).toMatchObject({ changes: [task(1, 'a'), task(2, 'b')] });
  expect(await second.effects()).toEqual({ operations: [counted('o-1', 1, 1), counted('o-2', 2, 1)] });
});

test('--no-dedupe applies a repeat again', async () => {
  const { push, effects } = await startMain('--journal', createJournalPath(), '--no-dedupe');
  await push(addTask('o-1', 'a'));
  await push(addTask('o-1', 'a'));
  expect(await effects()).toEqual({ operations: [counted('o-1', 2, 2)] });
});

test('SIGTERM ends the server in order, answers held back included', async () => {
  const { arm, push, pull, stop } = await startMain('--journal', createJournalPath());
  await arm({ next: 'delay', delayMs: 600_000 });
  const delayed = expect(push(addTask('o-1', 'a'))).rejects.toThrow();
  await expect.poll(pull).toMatchObject({ changes: [task(1, 'a')] });
  expect(await stop('SIGTERM')).toBe(0);
  await delayed;
});

test.each([
  ['--port', '65536'],
  ['--port', 'any'],
  ['--speed', '1'],
])('the arguments %s %s end it with code 1 and a message', async (...args) => {
  const { child, exit } = spawnMain(...args);
  const message = once(child.stderr, 'data');
  expect(await exit).toEqual([1, null]);
  expect(String(await message)).toContain(args[0]);
});
