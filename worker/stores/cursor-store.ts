import { isCanonicallyEqual } from '../../src/domain/canonical-json';
import type { CommitCursorInput, CursorKey } from '../../src/domain/committed-cursor';
import { STORE_CODES } from '../../src/domain/error-codes';
import type { Json } from '../../src/domain/json';
import { refuse } from '../../src/domain/refuse';
import type { Database } from '../database';
import { readAdmission } from './coordinator/admission-row';
import { readCursor, writeCursor } from './cursor-rows';
import { StoreCalls } from './store-call';

export interface CursorStoreOptions {
  readonly database: Database;
  /** The present instant, ISO 8601 UTC with milliseconds. */
  readonly clock: () => string;
}

/** How far each stream of a workspace is applied locally. Only a commit that starts from the stored cursor moves it. */
export class CursorStore {
  readonly #calls: StoreCalls;

  constructor({ database, clock }: CursorStoreOptions) {
    this.#calls = new StoreCalls({ database, clock, newId: neverNeeded });
  }

  /** The cursor committed last, or null before the first. */
  readCommittedCursor(key: CursorKey): Json {
    return this.#calls.run((call) => readCursor(call, key));
  }

  /**
   * Moves the cursor, inside the transaction that applies the page; a page fetched from an older cursor is refused.
   * @throws STALE_GENERATION, INACTIVE_WORKSPACE, CURSOR_CONFLICT
   */
  commitCursor(input: CommitCursorInput): void {
    this.#calls.run((call) => {
      const { activeWorkspaceId, coordinatorGeneration } = readAdmission(call);
      if (coordinatorGeneration !== input.coordinatorGeneration) {
        refuse(STORE_CODES.STALE_GENERATION, 'The page was fetched under another generation.', {
          expected: coordinatorGeneration,
          actual: input.coordinatorGeneration,
        });
      }
      if (activeWorkspaceId !== input.workspaceId) {
        refuse(STORE_CODES.INACTIVE_WORKSPACE, `Workspace "${input.workspaceId}" is not active.`, {
          expected: activeWorkspaceId,
          actual: input.workspaceId,
        });
      }
      const committed = readCursor(call, input);
      if (!isCanonicallyEqual(committed, input.previous ?? null)) {
        refuse(STORE_CODES.CURSOR_CONFLICT, 'The committed cursor has moved since this page was fetched.', {
          expected: committed,
          actual: input.previous,
        });
      }
      writeCursor(call, input, input.next, coordinatorGeneration);
    });
  }
}

function neverNeeded(): string {
  throw new TypeError('cursors have no ids');
}
