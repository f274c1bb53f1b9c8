import { onTestFinished } from 'vitest';
import type { CommandFailure, StorageCommands } from './storage.worker';

/** A failed command, with what the worker said of its error. */
export class CommandError extends Error {
  readonly code: string | null;
  readonly details: unknown;

  constructor({ name, message, code, details, cause }: CommandFailure) {
    super(`${name}: ${message} (${cause})`);
    this.code = code;
    this.details = details;
  }
}

type Answer =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly failure: CommandFailure };

export interface StorageWorker {
  run<Name extends keyof StorageCommands>(
    command: Name,
    ...args: Parameters<StorageCommands[Name]>
  ): Promise<Awaited<ReturnType<StorageCommands[Name]>>>;
  /** Kills it in the middle of whatever it does. */
  terminate(): void;
}

/** A fresh worker, terminated when the test ends. */
export function startStorage(): StorageWorker {
  const worker = new Worker('/bundled/storage.worker.js', { type: 'module' });
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let last = 0;
  worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
    const call = waiting.get(data.id);
    if (data.ok) call?.resolve(data.value);
    else call?.reject(new CommandError(data.failure));
  });
  worker.addEventListener('error', (event) => {
    for (const { reject } of waiting.values()) reject(new Error(`worker: ${event.message}`));
  });
  onTestFinished(() => worker.terminate());
  return {
    run: (command, ...args) => {
      const id = ++last;
      const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
      worker.postMessage({ id, command, args });
      // The worker's commands are typed by the same table.
      return answer as ReturnType<StorageWorker['run']> as never;
    },
    terminate: () => worker.terminate(),
  };
}

/** A database name no other test uses. */
export function freshName(): string {
  return `storage test ${crypto.randomUUID()}`;
}

/** A worker with a fresh database of three notes open, all committed. */
export async function startWithNotes(): Promise<{ worker: StorageWorker; name: string; databaseId: string }> {
  const name = freshName();
  const worker = startStorage();
  const { databaseId } = await worker.run('open', { name });
  await worker.run('exec', `CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT UNIQUE)`);
  await worker.run('exec', `INSERT INTO notes (text) VALUES ('a'), ('b'), ('c')`);
  return { worker, name, databaseId };
}

export const NOTES = [{ text: 'a' }, { text: 'b' }, { text: 'c' }];
export const SELECT_NOTES = 'SELECT text FROM notes ORDER BY id';
