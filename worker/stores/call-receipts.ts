import type { Database } from '../database';

/**
 * Answers kept under their call id, in the transaction that did the work: a call that is asked again of the next
 * writer gets what the first run answered instead of running twice.
 */
const FIND = 'SELECT reply_json FROM local_sync_call_receipts WHERE call_id = ?1';
const KEEP = 'INSERT INTO local_sync_call_receipts (call_id, reply_json, created_at) VALUES (?1, ?2, ?3)';
const PRUNE = `DELETE FROM local_sync_call_receipts WHERE call_id IN (
  SELECT call_id FROM local_sync_call_receipts WHERE created_at < ?1 ORDER BY created_at LIMIT ?2)`;

const READ_HORIZON = 'SELECT pruned_before FROM local_sync_receipt_horizon WHERE id = 1';
const RAISE_HORIZON = `INSERT INTO local_sync_receipt_horizon (id, pruned_before) VALUES (1, ?1)
  ON CONFLICT (id) DO UPDATE SET pruned_before = max(pruned_before, excluded.pruned_before)`;

/** How long a receipt is kept: longer than any call may wait, and as long as the stores keep their history. */
export const RECEIPT_LIFETIME_MS = 7 * 86_400_000;

export class CallReceipts {
  readonly #database: Database;
  readonly #clock: () => string;

  constructor({ database, clock }: { readonly database: Database; readonly clock: () => string }) {
    this.#database = database;
    this.#clock = clock;
  }

  /** The recorded answer, or undefined where this call has not run. A recorded `undefined` comes as `{}`. */
  find(callId: string): { readonly value?: unknown } | undefined {
    const text = this.#database.prepare(FIND).get([callId])?.['reply_json'];
    if (typeof text !== 'string') return undefined;
    return JSON.parse(text) as { readonly value?: unknown }; // written by `keep` alone
  }

  /** Inside the transaction of the work. */
  keep(callId: string, value: unknown): void {
    this.#database.prepare(KEEP).run([callId, JSON.stringify({ value }), this.#clock()]);
  }

  /** Whether receipts of calls made then may be gone, also where the clock was set forward meanwhile and back. */
  mayHaveForgotten(madeAtMs: number): boolean {
    if (Date.parse(this.#clock()) - madeAtMs > RECEIPT_LIFETIME_MS) return true;
    const horizon = this.#database.prepare(READ_HORIZON).get()?.['pruned_before'];
    return typeof horizon === 'string' && madeAtMs <= Date.parse(horizon);
  }

  /** Inside a transaction. Deletes at most `limit` receipts that are past their lifetime; returns how many. */
  prune(limit: number): number {
    const before = new Date(Date.parse(this.#clock()) - RECEIPT_LIFETIME_MS).toISOString();
    const { changes } = this.#database.prepare(PRUNE).run([before, limit]);
    if (changes > 0) this.#database.prepare(RAISE_HORIZON).run([before]);
    return changes;
  }
}
