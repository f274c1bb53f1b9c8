/**
 * What the server knows of one workspace, and what a push makes of it. Pure: no clock, no files, no network.
 *
 *     decidePush(state, operations, policy) ──▶ { results, writes }     nothing has happened yet
 *     applyWrites(state, writes)                                        after the journal has them
 *
 * Rules
 * - An identity belongs to the first payload it arrives with. Another payload under it is rejected.
 * - A repeat is answered as the first time and takes no effect again (unless the policy says `dedupe: false`).
 * - Every effect takes the next seq. A task's row carries the seq of its last change, so the rows in seq order are
 *   the log, with only the latest state of each task. Deleted tasks stay in it as tombstones.
 * - `writes` holds rows as they are afterwards, so applying them again from a journal decides nothing anew.
 */

export type Payload =
  | { readonly kind: 'add-task'; readonly taskId: string; readonly title: string }
  | { readonly kind: 'set-done'; readonly taskId: string; readonly done: boolean }
  | { readonly kind: 'delete-task'; readonly taskId: string };

export interface Operation {
  readonly identity: string;
  readonly payload: Payload;
}

export const REJECT_REASONS = [
  /** The identity arrived before with another payload. */
  'identity-reused',
  /** Another operation has made a task with this id, perhaps deleted since. */
  'task-exists',
  /** No task has this id. */
  'task-not-found',
  /** The task has been deleted, so it cannot be done or undone. */
  'task-deleted',
  /** A fault switch asked for it. */
  'fault',
] as const;
export type RejectReason = (typeof REJECT_REASONS)[number];

export type Answer =
  { readonly disposition: 'accepted' } | { readonly disposition: 'rejected'; readonly reason: RejectReason };

export type PushResult = Answer & { readonly identity: string };

/** One task as of its last change. */
export interface TaskChange {
  readonly seq: number;
  readonly taskId: string;
  readonly title: string;
  readonly done: boolean;
  readonly deleted: boolean;
}

export interface OperationRecord extends Operation {
  /** What the first arrival was told, and what every repeat is told. */
  readonly answer: Answer;
  /** Every arrival under this identity: repeats, rejected ones and those with another payload too. */
  readonly arrived: number;
  /** How often it changed a task: 0 or 1, more only without dedupe. */
  readonly effects: number;
}

export interface PushWrites {
  readonly operations: readonly OperationRecord[];
  /** In seq order. */
  readonly tasks: readonly TaskChange[];
}

export interface WorkspaceState {
  readonly operations: Map<string, OperationRecord>;
  /** By task id, in seq order: a changed task moves to the end. */
  readonly tasks: Map<string, TaskChange>;
  lastSeq: number;
}

export function createWorkspaceState(): WorkspaceState {
  return { operations: new Map(), tasks: new Map(), lastSeq: 0 };
}

/** Makes decided writes the state. Writes must come in the order they were decided in. */
export function applyWrites(state: WorkspaceState, writes: PushWrites): void {
  for (const record of writes.operations) state.operations.set(record.identity, record);
  for (const task of writes.tasks) {
    moveToEnd(state.tasks, task);
    state.lastSeq = task.seq;
  }
}

/** The rows changed after `sinceSeq`, oldest change first, at most `limit`. */
export function readPage(
  state: WorkspaceState,
  page: { readonly sinceSeq: number; readonly limit: number },
): { readonly changes: readonly TaskChange[]; readonly nextSeq: number; readonly more: boolean } {
  const changes: TaskChange[] = [];
  for (const task of state.tasks.values()) {
    if (task.seq <= page.sinceSeq) continue;
    if (changes.length === page.limit)
      return { changes, nextSeq: lastSeqOf(changes, page.sinceSeq), more: true };
    changes.push(task);
  }
  return { changes, nextSeq: lastSeqOf(changes, page.sinceSeq), more: false };
}

/** A Map lists its keys in the order they came in, so leaving and coming back keeps the rows in seq order. */
export function moveToEnd(tasks: Map<string, TaskChange>, task: TaskChange): void {
  tasks.delete(task.taskId);
  tasks.set(task.taskId, task);
}

function lastSeqOf(changes: readonly TaskChange[], fallback: number): number {
  return changes.at(-1)?.seq ?? fallback;
}
