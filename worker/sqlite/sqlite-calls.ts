import type { Sqlite3Static, WasmPointer } from '@sqlite.org/sqlite-wasm';
import type { SqlValue } from '../database';

/**
 * The WASM functions that run for every statement, called without the object layer of sqlite-wasm in between: a
 * point read costs 2 µs this way and 10 µs through it. Preparing, opening and closing still go through that layer,
 * which owns all handles.
 */
interface RawExports {
  sqlite3_step(stmt: WasmPointer): number;
  sqlite3_reset(stmt: WasmPointer): number;
  sqlite3_clear_bindings(stmt: WasmPointer): number;
  sqlite3_bind_null(stmt: WasmPointer, index: number): number;
  sqlite3_bind_int(stmt: WasmPointer, index: number, value: number): number;
  sqlite3_bind_int64(stmt: WasmPointer, index: number, value: bigint): number;
  sqlite3_bind_double(stmt: WasmPointer, index: number, value: number): number;
  sqlite3_bind_text(stmt: WasmPointer, index: number, at: WasmPointer, size: number, owner: number): number;
  sqlite3_bind_blob(stmt: WasmPointer, index: number, at: WasmPointer, size: number, owner: number): number;
  sqlite3_column_type(stmt: WasmPointer, index: number): number;
  sqlite3_column_int64(stmt: WasmPointer, index: number): bigint;
  sqlite3_column_double(stmt: WasmPointer, index: number): number;
  sqlite3_column_text(stmt: WasmPointer, index: number): WasmPointer;
  sqlite3_column_blob(stmt: WasmPointer, index: number): WasmPointer;
  sqlite3_column_bytes(stmt: WasmPointer, index: number): number;
  sqlite3_changes(db: WasmPointer): number;
  sqlite3_total_changes(db: WasmPointer): number;
  sqlite3_get_autocommit(db: WasmPointer): number;
  sqlite3_db_status(
    db: WasmPointer,
    op: number,
    current: WasmPointer,
    highest: WasmPointer,
    reset: 0,
  ): number;
}

const TYPE = { INTEGER: 1, FLOAT: 2, TEXT: 3, BLOB: 4 };
/** SQLITE_TRANSIENT: SQLite copies the bytes before the call returns. */
const COPY = -1;
/** Text up to this many bytes is encoded on the WASM stack, which has room for little more. */
const STACK_TEXT_BYTES = 1024;
/** Up to this many bytes a loop over ASCII beats calling TextDecoder (measured: 24 and 40 are alike, 100 is worse). */
const SHORT_TEXT_BYTES = 32;
const INT32 = 2 ** 31;

/** Values in and out of one SQLite instance. It keeps nothing, so one serves every connection. */
export class SqliteCalls {
  readonly raw: RawExports;
  readonly #wasm: Sqlite3Static['wasm'];
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();

  constructor(sqlite3: Sqlite3Static) {
    this.#wasm = sqlite3.wasm;
    // sqlite-wasm types its export table as `any`; the C signatures above are part of SQLite's stable interface.
    this.raw = sqlite3.wasm.exports as RawExports;
  }

  /** Binds one value; the result is SQLite's code. Anything that is no SqlValue is a mistake and throws. */
  bind(stmt: WasmPointer, index: number, value: SqlValue): number {
    if (typeof value === 'string') return this.#bindText(stmt, index, value);
    if (typeof value === 'number') return this.#bindNumber(stmt, index, value);
    if (value === null) return this.raw.sqlite3_bind_null(stmt, index);
    if (typeof value === 'bigint') return this.#bindBigInt(stmt, index, value);
    if (value instanceof Uint8Array) return this.#bindBytes(stmt, index, value, 'sqlite3_bind_blob');
    throw new TypeError(`parameter ${index} is ${describe(value)}; wanted text, a number, bytes or null`);
  }

  read(stmt: WasmPointer, column: number): SqlValue {
    const { raw } = this;
    switch (raw.sqlite3_column_type(stmt, column)) {
      case TYPE.INTEGER: {
        const value = raw.sqlite3_column_double(stmt, column);
        return Number.isSafeInteger(value) ? value : raw.sqlite3_column_int64(stmt, column);
      }
      case TYPE.FLOAT:
        return raw.sqlite3_column_double(stmt, column);
      case TYPE.TEXT:
        return this.#decode(raw.sqlite3_column_text(stmt, column), raw.sqlite3_column_bytes(stmt, column));
      case TYPE.BLOB: {
        const at = raw.sqlite3_column_blob(stmt, column);
        return this.#wasm.heap8u().slice(at, at + raw.sqlite3_column_bytes(stmt, column));
      }
      default:
        return null;
    }
  }

  /** The present value of one of the connection's SQLITE_DBSTATUS counters. */
  readStatus(db: WasmPointer, op: number): number {
    const { pstack } = this.#wasm;
    const mark = pstack.pointer;
    try {
      const current = pstack.alloc(8);
      const rc = this.raw.sqlite3_db_status(db, op, current, current + 4, 0);
      if (rc !== 0) throw new Error(`sqlite3_db_status failed with ${rc}`);
      return this.#wasm.peek32(current);
    } finally {
      pstack.restore(mark);
    }
  }

  #bindNumber(stmt: WasmPointer, index: number, value: number): number {
    if (!Number.isInteger(value)) {
      // SQLite would store NULL for it without a word.
      if (Number.isNaN(value)) throw new TypeError(`parameter ${index} is NaN; wanted a number`);
      return this.raw.sqlite3_bind_double(stmt, index, value);
    }
    if (value >= -INT32 && value < INT32) return this.raw.sqlite3_bind_int(stmt, index, value);
    if (Number.isSafeInteger(value)) return this.raw.sqlite3_bind_int64(stmt, index, BigInt(value));
    return this.raw.sqlite3_bind_double(stmt, index, value);
  }

  #bindBigInt(stmt: WasmPointer, index: number, value: bigint): number {
    if (BigInt.asIntN(64, value) !== value) {
      throw new RangeError(`parameter ${index} is ${value}; wanted an integer of 64 bits`);
    }
    return this.raw.sqlite3_bind_int64(stmt, index, value);
  }

  #bindText(stmt: WasmPointer, index: number, value: string): number {
    const bound = value.length * 3;
    if (bound > STACK_TEXT_BYTES) {
      return this.#bindBytes(stmt, index, this.#encoder.encode(value), 'sqlite3_bind_text');
    }
    const { pstack } = this.#wasm;
    const mark = pstack.pointer;
    try {
      const at = pstack.alloc(bound + 8);
      const { written } = this.#encoder.encodeInto(value, this.#wasm.heap8u().subarray(at, at + bound));
      return this.raw.sqlite3_bind_text(stmt, index, at, written, COPY);
    } finally {
      pstack.restore(mark);
    }
  }

  #bindBytes(
    stmt: WasmPointer,
    index: number,
    bytes: Uint8Array,
    call: 'sqlite3_bind_text' | 'sqlite3_bind_blob',
  ): number {
    // One more than needed: a null pointer, which an empty allocation may be, would bind NULL.
    const at = this.#wasm.alloc(bytes.byteLength + 1);
    try {
      this.#wasm.heap8u().set(bytes, at);
      return this.raw[call](stmt, index, at, bytes.byteLength, COPY);
    } finally {
      this.#wasm.dealloc(at);
    }
  }

  #decode(at: WasmPointer, size: number): string {
    const heap = this.#wasm.heap8u();
    if (size > SHORT_TEXT_BYTES) return this.#decoder.decode(heap.subarray(at, at + size));
    let text = '';
    for (let i = at; i < at + size; i += 1) {
      const byte = heap[i] ?? 0;
      if (byte > 127) return this.#decoder.decode(heap.subarray(at, at + size));
      text += String.fromCharCode(byte);
    }
    return text;
  }
}

function describe(value: never): string {
  const actual: unknown = value;
  return actual === undefined ? 'undefined' : `of type ${typeof actual}`;
}
