import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findSourceFiles } from '../support/imports';
import { repositoryRoot } from '../support/repository-root';

/** Not in every browser, gone with the tab that made it, and without an event: see scenario 26. */
const SHARED_WORKER = /shared-?worker/i;

test('no source names SharedWorker: tabs meet over locks and channels alone', () => {
  const files = ['src', 'worker'].flatMap((folder) => findSourceFiles(folder));
  expect(files.length).toBeGreaterThan(100);
  const naming = files.filter((file) => SHARED_WORKER.test(readFileSync(join(repositoryRoot, file), 'utf8')));
  expect(naming).toEqual([]);
  expect(SHARED_WORKER.test('new SharedWorker(url)')).toBe(true);
});
