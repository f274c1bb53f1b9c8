/** SQLITE_CONSTRAINT_FOREIGNKEY: what COMMIT would have failed with. */
const FOREIGN_KEY_RESULT_CODE = 787;

/** A call left a deferred foreign key violated at its end, so it was undone. `resultCode` as SQLite's own error. */
export class DeferredForeignKeyError extends Error {
  override readonly name = 'DeferredForeignKeyError';
  readonly resultCode = FOREIGN_KEY_RESULT_CODE;
  constructor() {
    super('FOREIGN KEY constraint failed: a deferred foreign key is still violated at the end of the call');
  }
}
