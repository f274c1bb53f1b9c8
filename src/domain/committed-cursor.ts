import type { Json } from './json';

export interface CursorKey {
  readonly workspaceId: string;
  readonly stream: string;
}

export interface CommitCursorInput extends CursorKey {
  readonly coordinatorGeneration: number;
  /** The cursor the page was fetched from; null where none was committed yet. */
  readonly previous: Json;
  readonly next: Json;
}
