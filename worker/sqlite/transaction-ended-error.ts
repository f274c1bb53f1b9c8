/**
 * A statement inside a transaction ended that transaction (INSERT OR ROLLBACK, RAISE(ROLLBACK), a full disk), so
 * everything in it is gone. Whoever shares a transaction must run its members again, each alone.
 */
export class TransactionEndedError extends Error {
  override readonly name = 'TransactionEndedError';
  constructor() {
    super('a statement ended the transaction it ran in; all its writes are undone');
  }
}
