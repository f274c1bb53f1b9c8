import { decidePush } from './decide-push';
import { Journal, JournalError } from './journal';
import { parseRecord, toRecord } from './journal-record';
import {
  applyWrites,
  createWorkspaceState,
  readPage,
  type OperationRecord,
  type PushResult,
  type WorkspaceState,
} from './operations';
import type { PullRequest, PushRequest } from './parse-requests';

/**
 * Every workspace, in memory, and always exactly what the journal says: a push is decided, written to the disk,
 * applied, answered, in this order and without a pause in which another could come between.
 */
export class SyncStore {
  readonly #journal: Journal;
  readonly #dedupe: boolean;
  readonly #workspaces = new Map<string, WorkspaceState>();

  private constructor(journal: Journal, dedupe: boolean) {
    this.#journal = journal;
    this.#dedupe = dedupe;
  }

  /** Opens the journal and reads the state from it. The caller closes. */
  static open(journalPath: string, { dedupe }: { readonly dedupe: boolean }): SyncStore {
    const { journal, records } = Journal.open(journalPath);
    const store = new SyncStore(journal, dedupe);
    records.forEach((value, index) => {
      try {
        const { workspace, writes } = parseRecord(value);
        applyWrites(store.#openWorkspace(workspace), writes);
      } catch (cause) {
        journal.close();
        throw new JournalError(`read ${journalPath}: line ${index + 1} is no record: ${String(cause)}`, {
          cause,
        });
      }
    });
    return store;
  }

  /** Takes a push whole. @throws JournalError when it cannot be kept; it then took no effect here. */
  push(
    { workspace, operations }: PushRequest,
    { refuse }: { readonly refuse: boolean },
  ): readonly PushResult[] {
    const state = this.#openWorkspace(workspace);
    const { results, writes } = decidePush(state, operations, { dedupe: this.#dedupe, refuse });
    if (writes.operations.length > 0) this.#journal.append(toRecord(workspace, writes));
    applyWrites(state, writes);
    return results;
  }

  readPage({ workspace, sinceSeq, limit }: PullRequest): ReturnType<typeof readPage> {
    return readPage(this.#findWorkspace(workspace), { sinceSeq, limit });
  }

  /** The seq of the workspace's newest change, 0 before the first. */
  readLastSeq(workspace: string): number {
    return this.#findWorkspace(workspace).lastSeq;
  }

  /** Every operation that ever arrived, in the order of its first arrival. */
  listOperations(workspace: string): readonly OperationRecord[] {
    return [...this.#findWorkspace(workspace).operations.values()];
  }

  /** May be called twice. Pushes fail from then on. */
  close(): void {
    this.#journal.close();
  }

  #findWorkspace(workspace: string): WorkspaceState {
    return this.#workspaces.get(workspace) ?? createWorkspaceState();
  }

  #openWorkspace(workspace: string): WorkspaceState {
    const state = this.#findWorkspace(workspace);
    this.#workspaces.set(workspace, state);
    return state;
  }
}
