import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { findChromium } from './find-chromium';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidelock-find-'));
  vi.stubEnv('CHROMIUM_PATH', '');
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

describe('finding a browser', () => {
  test('$CHROMIUM_PATH comes first', () => {
    makeExecutable('chromium');
    const asked = makeExecutable('my-chrome');
    vi.stubEnv('CHROMIUM_PATH', asked);
    expect(findChromium()).toBe(asked);
  });

  test('a $CHROMIUM_PATH that cannot be run is an error, though another browser is there', () => {
    makeExecutable('chromium');
    vi.stubEnv('CHROMIUM_PATH', join(folder, 'missing'));
    expect(() => findChromium()).toThrow(/\$CHROMIUM_PATH ".*missing"/);
  });

  test('then a system browser on PATH, chromium before google-chrome', () => {
    const chrome = makeExecutable('google-chrome');
    expect(findChromium()).toBe(chrome);
    const chromium = makeExecutable('chromium');
    expect(findChromium()).toBe(chromium);
  });

  test('a file that is not executable is no browser', () => {
    writeFileSync(join(folder, 'chromium'), '');
    expect(findChromium()).not.toBe(join(folder, 'chromium'));
  });
});
