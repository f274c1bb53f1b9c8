import type { Database } from '../database';
import { RECEIPT_LIFETIME_MS } from './call-receipts';

/**
 * A mark is set, in a transaction of its own, right before a call is run that an earlier writer died with, and goes
 * with what the call commits. One that is still there after the next death names the call that this writer died of;
 * it also counts the deaths before that one.
 */
const FIND = 'SELECT writer_epoch, deaths FROM local_sync_call_marks WHERE call_id = ?1';
const SET = `INSERT INTO local_sync_call_marks (call_id, writer_epoch, deaths, marked_at) VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT (call_id) DO UPDATE
    SET writer_epoch = excluded.writer_epoch, deaths = excluded.deaths, marked_at = excluded.marked_at`;
const CLEAR = 'DELETE FROM local_sync_call_marks WHERE call_id = ?1';
const PRUNE = 'DELETE FROM local_sync_call_marks WHERE marked_at < ?1';

export class CallMarks {
  readonly #database: Database;
  readonly #clock: () => string;
  readonly #epoch: number;

  constructor({
    database,
    clock,
    epoch,
  }: {
    readonly database: Database;
    readonly clock: () => string;
    /** The present writer's. */
    readonly epoch: number;
  }) {
    this.#database = database;
    this.#clock = clock;
    this.#epoch = epoch;
  }

  /** So many writers died while they ran this call alone; `diedEpoch` is the last one that died with it in any way. */
  countDeaths(callId: string, diedEpoch: number | null): number {
    const mark = this.#database.prepare(FIND).get([callId]);
    if (mark === undefined) return 0;
    const isByTheLast = mark['writer_epoch'] === diedEpoch;
    return Number(mark['deaths']) + (isByTheLast ? 1 : 0);
  }

  set(callId: string, deaths: number): void {
    this.#database.prepare(SET).run([callId, this.#epoch, deaths, this.#clock()]);
  }

  clear(callId: string): void {
    this.#database.prepare(CLEAR).run([callId]);
  }

  /** Forgets what is older than any call may be. There is hardly ever a row, so none is spared; returns how many went. */
  prune(): number {
    const before = new Date(Date.parse(this.#clock()) - RECEIPT_LIFETIME_MS).toISOString();
    return this.#database.prepare(PRUNE).run([before]).changes;
  }
}
