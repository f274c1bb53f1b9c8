import type { PreparedStatement } from '@sqlite.org/sqlite-wasm';
import type { Row, SqlParams, SqlValue, Statement } from '../database';
import { toStorageError } from './storage-errors';

/** One prepared statement. Every call binds, runs and resets, so a statement never keeps a row or a lock open. */
export class SqliteStatement implements Statement {
  readonly #stmt: PreparedStatement;
  readonly #countChanges: () => number;
  readonly #columns: readonly string[];

  /** `countChanges` tells the rows changed by the connection's last writing statement; 0 for one that only reads. */
  constructor(stmt: PreparedStatement, countChanges: () => number) {
    this.#stmt = stmt;
    this.#countChanges = countChanges;
    this.#columns = stmt.columnCount === 0 ? [] : stmt.getColumnNames();
  }

  get(params: SqlParams = []): Row | undefined {
    return this.#use(params, () => (this.#stmt.step() ? this.#readRow() : undefined));
  }

  all(params: SqlParams = []): Row[] {
    return this.#use(params, () => {
      const rows: Row[] = [];
      while (this.#stmt.step()) rows.push(this.#readRow());
      return rows;
    });
  }

  run(params: SqlParams = []): { readonly changes: number } {
    return this.#use(params, () => {
      while (this.#stmt.step());
      return { changes: this.#countChanges() };
    });
  }

  finalize(): void {
    this.#stmt.finalize();
  }

  #use<T>(params: SqlParams, work: () => T): T {
    try {
      if (params.length > 0) this.#stmt.bind([...params]);
      return work();
    } catch (error) {
      throw toStorageError(error);
    } finally {
      this.#stmt.resetNoThrow();
      if (params.length > 0) this.#stmt.clearBindings();
    }
  }

  #readRow(): Row {
    const row: Record<string, SqlValue> = {};
    this.#columns.forEach((name, index) => {
      // sqlite-wasm hands out BLOBs as Uint8Array and integers past 2^53 as BigInt: exactly SqlValue.
      row[name] = this.#stmt.get(index) as SqlValue;
    });
    return row;
  }
}
