import type { CommitCursorInput, CursorKey } from '../../src/domain/committed-cursor';
import type { Json } from '../../src/domain/json';
import type { Database } from '../database';

export interface CursorStoreOptions {
  readonly database: Database;
  readonly clock: () => string;
}

export class CursorStore {
  constructor(options: CursorStoreOptions) {
    void options;
  }

  /** The cursor committed last, or null. */
  readCommittedCursor(_key: CursorKey): Json {
    throw new Error('not built yet');
  }
  /** Called inside the applying transaction. */
  commitCursor(_input: CommitCursorInput): void {
    throw new Error('not built yet');
  }
}
