/** What one commit changed, as far as queries can see it. */
export interface CommittedChange {
  /** 1, 2, 3 … within one writer's life. */
  readonly commit: number;
  /** Lower-case names of the tables it may have changed; the same table is named once. */
  readonly tables: readonly string[];
}

/**
 * The tables that each commit of this writer wrote: what live queries are run again by. Calls note what they wrote
 * while the batch is open; a batch that is undone leaves nothing behind.
 */
export class ChangeLog {
  #commit = 0;
  readonly #open = new Set<string>();
  readonly #lastCommits = new Map<string, number>();

  /** The number of the last commit that changed a table; 0 before the first. */
  get commit(): number {
    return this.#commit;
  }

  /** A new batch is open: what an earlier one noted and never committed is forgotten. */
  begin(): void {
    this.#open.clear();
  }

  /** By lower-case name. A work that is undone alone may leave a table named for nothing: a query is run once too often. */
  note(tables: Iterable<string>): void {
    for (const table of tables) this.#open.add(table);
  }

  /** Closes the batch as committed. Null where it changed no table. */
  close(): CommittedChange | null {
    if (this.#open.size === 0) return null;
    this.#commit += 1;
    const tables = [...this.#open];
    this.#open.clear();
    for (const table of tables) this.#lastCommits.set(table, this.#commit);
    return { commit: this.#commit, tables };
  }

  /** Whether any of the tables was changed after that commit. */
  hasChangedSince(commit: number, tables: Iterable<string>): boolean {
    for (const table of tables) {
      if ((this.#lastCommits.get(table) ?? 0) > commit) return true;
    }
    return false;
  }
}
