/** Application SQL asked for something it may not do. The message says what; `cause` is SQLite's own error, if any. */
export class ForbiddenSqlError extends Error {
  override readonly name = 'ForbiddenSqlError';
}
