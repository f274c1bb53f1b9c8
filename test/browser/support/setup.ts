/**
 * Runs around every browser test file. Files share one profile, one after the other, so each must leave nothing: tabs
 * are closed after each test; locks still held at the end of the file fail it; then OPFS and IndexedDB are emptied.
 */
import { afterAll, afterEach } from 'vitest';
import { commands } from 'vitest/browser';
import '../commands';

/** Locks of a closed tab or a terminated worker are released within 90 ms; this leaves room for a busy machine. */
const RELEASE_DEADLINE_MS = 3_000;

afterEach(async () => {
  await commands.tabCloseAll();
});

afterAll(async () => {
  const held = await findLeakedLocks();
  await clearStorage();
  if (held.length > 0)
    throw new Error(
      `The file left locks held: ${held.join(', ')}. Close every client and terminate every worker.`,
    );
});

async function findLeakedLocks(): Promise<string[]> {
  const deadlineAt = performance.now() + RELEASE_DEADLINE_MS;
  for (;;) {
    const { held = [], pending = [] } = await navigator.locks.query();
    const names = [...held, ...pending].map((lock) => lock.name ?? '');
    if (names.length === 0 || performance.now() > deadlineAt) return names;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function clearStorage(): Promise<void> {
  const root = await navigator.storage.getDirectory();
  for await (const name of root.keys()) await removeWhenFree(root, name);
  const databases = await indexedDB.databases();
  for (const { name } of databases) if (name !== undefined) indexedDB.deleteDatabase(name);
}

/** The files of a worker that was just terminated are free a moment later, whether or not it held a lock. */
async function removeWhenFree(root: FileSystemDirectoryHandle, name: string): Promise<void> {
  const deadlineAt = performance.now() + RELEASE_DEADLINE_MS;
  for (;;) {
    try {
      await root.removeEntry(name, { recursive: true });
      return;
    } catch (error) {
      if (performance.now() > deadlineAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
