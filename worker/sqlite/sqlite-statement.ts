import type { Database as Oo1Database, PreparedStatement, WasmPointer } from '@sqlite.org/sqlite-wasm';
import type { Row, SqlParams, SqlValue, Statement } from '../database';
import type { SqliteCalls } from './sqlite-calls';
import { toStorageError } from './storage-errors';

const ROW = 100;
const DONE = 101;
/** A binding larger than this is dropped after the call; smaller ones wait for the next to overwrite them. */
const KEPT_BINDING_SIZE = 4096;

/** What a statement needs of the connection it was prepared on. */
export interface StatementHost {
  readonly calls: SqliteCalls;
  readonly db: Oo1Database;
  /** Throws SQLite's own error, with its message, for a code that is one. */
  throwCode(code: number): void;
  /** Throws where a write now would run outside the transaction it belongs to. */
  assertMayWrite(): void;
}

/** What SQLite says of a statement once it is prepared. */
export interface StatementFacts {
  readonly isReadOnly: boolean;
  /** `:name`, `@name`, `$name`, or null for a plain `?`; in order. */
  readonly parameterNames: readonly (string | null)[];
}

/** One prepared statement. Every call binds, runs and resets, so a statement never keeps a row or a lock open. */
export class SqliteStatement implements Statement, StatementFacts {
  readonly isReadOnly: boolean;
  readonly parameterNames: readonly (string | null)[];
  readonly #host: StatementHost;
  readonly #stmt: PreparedStatement;
  readonly #columns: readonly string[];

  constructor(host: StatementHost, stmt: PreparedStatement, facts: StatementFacts) {
    this.#host = host;
    this.#stmt = stmt;
    this.isReadOnly = facts.isReadOnly;
    this.parameterNames = facts.parameterNames;
    this.#columns = stmt.columnCount === 0 ? [] : stmt.getColumnNames();
  }

  get(params: SqlParams = []): Row | undefined {
    return this.#use(params, (at) => (this.#step(at) ? this.#readRow(at) : undefined));
  }

  all(params: SqlParams = []): Row[] {
    return this.#use(params, (at) => {
      const rows: Row[] = [];
      while (this.#step(at)) rows.push(this.#readRow(at));
      return rows;
    });
  }

  run(params: SqlParams = []): { readonly changes: number } {
    return this.#use(params, (at) => {
      const { raw } = this.#host.calls;
      const db = mustBeOpen(this.#host.db.pointer);
      const before = raw.sqlite3_total_changes(db);
      while (this.#step(at));
      // A statement that changes no rows (DDL, a read) leaves the count of an earlier one standing.
      const hasChanged = raw.sqlite3_total_changes(db) !== before;
      return { changes: hasChanged ? raw.sqlite3_changes(db) : 0 };
    });
  }

  finalize(): void {
    this.#stmt.finalize();
  }

  #use<T>(params: SqlParams, work: (at: WasmPointer) => T): T {
    const at = mustBeOpen(this.#stmt.pointer);
    let isLarge = false;
    try {
      if (!this.isReadOnly) this.#host.assertMayWrite();
      isLarge = this.#bind(at, params);
      return work(at);
    } catch (error) {
      throw toStorageError(error);
    } finally {
      const { raw } = this.#host.calls;
      raw.sqlite3_reset(at);
      if (isLarge) raw.sqlite3_clear_bindings(at);
    }
  }

  /** Binds all; the answer is whether one is too large to keep. */
  #bind(at: WasmPointer, params: SqlParams): boolean {
    const wanted = this.parameterNames.length;
    if (params.length !== wanted) throw new RangeError(`${params.length} parameters given, ${wanted} wanted`);
    let isLarge = false;
    for (let i = 0; i < wanted; i += 1) {
      // An array with a hole or an `undefined` in it is refused by `bind`.
      const value = params[i] as SqlValue;
      this.#host.throwCode(this.#host.calls.bind(at, i + 1, value));
      if (typeof value === 'object' || typeof value === 'string')
        isLarge ||= sizeOf(value) > KEPT_BINDING_SIZE;
    }
    return isLarge;
  }

  #step(at: WasmPointer): boolean {
    const code = this.#host.calls.raw.sqlite3_step(at);
    if (code === ROW) return true;
    if (code !== DONE) this.#host.throwCode(code);
    return false;
  }

  #readRow(at: WasmPointer): Row {
    const row: Record<string, SqlValue> = {};
    this.#columns.forEach((name, index) => {
      row[name] = this.#host.calls.read(at, index);
    });
    return row;
  }
}

function sizeOf(value: string | Uint8Array | null): number {
  return value === null ? 0 : value.length;
}

/** sqlite-wasm takes the pointer away when a statement is finalized or its database closed; using it then would corrupt memory. */
function mustBeOpen(pointer: WasmPointer | undefined): WasmPointer {
  if (pointer === undefined) throw new Error('the database is closed');
  return pointer;
}
