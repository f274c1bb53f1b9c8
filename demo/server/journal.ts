import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** The journal cannot take a record. The push in hand may or may not be on disk; a restart of the server tells. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
}

/**
 * An append-only file of JSON lines, the only place where the server's state outlives it.
 *
 * Rules
 * - `append` returns after the line and everything before it is on the disk (one fsync a line).
 * - A line is whole when its newline is there. What follows the last newline was never answered: a torn write of a
 *   dying server. Opening cuts it off. A whole line that is no JSON is damage, and opening refuses it.
 * - After one failed append nobody knows what the disk holds, so the journal takes no more; a restart reads it anew.
 *
 * Not promised: two servers on one file. `append` notices that the file has grown by another hand, and refuses, but
 * only then.
 */
export class Journal {
  readonly #path: string;
  readonly #file: number;
  #lengthBytes: number;
  /** Null while the journal takes records; otherwise why it does not. */
  #stopped: string | null = null;

  private constructor(path: string, file: number, lengthBytes: number) {
    this.#path = path;
    this.#file = file;
    this.#lengthBytes = lengthBytes;
  }

  /** Opens or makes the file and its folder. The caller closes the journal. */
  static open(path: string): { readonly journal: Journal; readonly records: readonly unknown[] } {
    mkdirSync(dirname(path), { recursive: true });
    const file = openSync(path, 'a+');
    try {
      const bytes = readFileSync(path);
      const lengthBytes = bytes.lastIndexOf('\n') + 1;
      const records = parseLines(path, bytes.subarray(0, lengthBytes).toString('utf8'));
      if (lengthBytes < bytes.length) ftruncateSync(file, lengthBytes);
      fsyncSync(file);
      syncFolder(dirname(path));
      return { journal: new Journal(path, file, lengthBytes), records };
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  /** Writes one record and waits for the disk. @throws JournalError when it could not, or after `close`. */
  append(record: unknown): void {
    if (this.#stopped !== null) throw new JournalError(`${this.#path}: ${this.#stopped}`);
    const line = Buffer.from(`${JSON.stringify(record)}\n`, 'utf8');
    try {
      const actualBytes = fstatSync(this.#file).size;
      if (actualBytes !== this.#lengthBytes) {
        throw new JournalError(
          `the file has ${actualBytes} bytes, wanted ${this.#lengthBytes}: another writes to it`,
        );
      }
      writeFileSync(this.#file, line);
      fsyncSync(this.#file);
    } catch (cause) {
      this.#stopped = 'an append failed, restart the server';
      throw new JournalError(`append to ${this.#path} failed: ${String(cause)}`, { cause });
    }
    this.#lengthBytes += line.length;
  }

  /** May be called twice. */
  close(): void {
    if (this.#stopped === 'closed') return;
    this.#stopped = 'closed';
    closeSync(this.#file);
  }
}

function parseLines(path: string, text: string): unknown[] {
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line, index): unknown => {
    try {
      return JSON.parse(line);
    } catch (cause) {
      throw new JournalError(`read ${path}: line ${index + 1} is no JSON`, { cause });
    }
  });
}

/** A new file's name is in its folder, which must reach the disk too. Where folders cannot be opened, as on Windows, it does by itself. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
