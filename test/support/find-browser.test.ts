import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { findChromium } from './find-chromium';
import { findFirefox } from './find-firefox';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidelock-find-'));
  vi.stubEnv('CHROMIUM_PATH', '');
  vi.stubEnv('FIREFOX_PATH', '');
  vi.stubEnv('PATH', folder);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function makeExecutable(name: string): string {
  const path = join(folder, name);
  writeFileSync(path, '');
  chmodSync(path, 0o755);
  return path;
}

describe.each([
  { variable: 'CHROMIUM_PATH', find: findChromium, first: 'chromium', second: 'google-chrome' },
  { variable: 'FIREFOX_PATH', find: findFirefox, first: 'firefox-esr', second: 'firefox' },
])('finding a browser by $variable or its name', ({ variable, find, first, second }) => {
  test(`$${variable} comes first`, () => {
    makeExecutable(first);
    const asked = makeExecutable('my-browser');
    vi.stubEnv(variable, asked);
    expect(find()).toBe(asked);
  });

  test(`a $${variable} that cannot be run is an error, though another browser is there`, () => {
    makeExecutable(first);
    vi.stubEnv(variable, join(folder, 'missing'));
    expect(find).toThrow(`Cannot run $${variable} "${join(folder, 'missing')}"`);
  });

  test(`then a system browser on PATH, ${first} before ${second}`, () => {
    const other = makeExecutable(second);
    expect(find()).toBe(other);
    const best = makeExecutable(first);
    expect(find()).toBe(best);
  });

  test('a file that is not executable is no browser', () => {
    writeFileSync(join(folder, first), '');
    expect(find()).not.toBe(join(folder, first));
  });
});
