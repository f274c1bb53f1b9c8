import {
  moveToEnd,
  type Answer,
  type Operation,
  type OperationRecord,
  type Payload,
  type PushResult,
  type PushWrites,
  type RejectReason,
  type TaskChange,
  type WorkspaceState,
} from './operations';

export interface PushPolicy {
  /** False applies repeats again, each added task under an id of its own, so that a client's double can be seen. */
  readonly dedupe: boolean;
  /** True rejects every operation not answered before, with reason `fault`. */
  readonly refuse: boolean;
}

/** Decides a push, each operation seeing those before it. `state` is left as it is. */
export function decidePush(
  state: WorkspaceState,
  operations: readonly Operation[],
  policy: PushPolicy,
): { readonly results: readonly PushResult[]; readonly writes: PushWrites } {
  const draft = new Draft(state);
  const results = operations.map((operation) => ({
    identity: operation.identity,
    ...decideOperation(draft, operation, policy),
  }));
  return { results, writes: draft.writes };
}

/** The state as a push in progress sees it: its own writes over what was there. */
class Draft {
  readonly #state: WorkspaceState;
  readonly #operations = new Map<string, OperationRecord>();
  readonly #tasks = new Map<string, TaskChange>();
  #lastSeq: number;

  constructor(state: WorkspaceState) {
    this.#state = state;
    this.#lastSeq = state.lastSeq;
  }

  get writes(): PushWrites {
    return { operations: [...this.#operations.values()], tasks: [...this.#tasks.values()] };
  }

  findOperation(identity: string): OperationRecord | undefined {
    return this.#operations.get(identity) ?? this.#state.operations.get(identity);
  }

  findTask(taskId: string): TaskChange | undefined {
    return this.#tasks.get(taskId) ?? this.#state.tasks.get(taskId);
  }

  writeOperation(record: OperationRecord): void {
    this.#operations.set(record.identity, record);
  }

  writeTask(task: Omit<TaskChange, 'seq'>): void {
    this.#lastSeq += 1;
    moveToEnd(this.#tasks, { seq: this.#lastSeq, ...task });
  }
}

function decideOperation(draft: Draft, operation: Operation, policy: PushPolicy): Answer {
  const known = draft.findOperation(operation.identity);
  if (known !== undefined && !isSamePayload(known.payload, operation.payload)) {
    draft.writeOperation({ ...known, arrived: known.arrived + 1 });
    return { disposition: 'rejected', reason: 'identity-reused' };
  }
  if (known !== undefined && policy.dedupe) {
    draft.writeOperation({ ...known, arrived: known.arrived + 1 });
    return known.answer;
  }
  const effectsBefore = known?.effects ?? 0;
  const change = policy.refuse ? 'fault' : decideChange(draft, operation.payload, effectsBefore);
  const isRejected = typeof change === 'string';
  if (!isRejected) draft.writeTask(change);
  const answer: Answer = isRejected
    ? { disposition: 'rejected', reason: change }
    : { disposition: 'accepted' };
  draft.writeOperation({
    identity: operation.identity,
    payload: operation.payload,
    answer: known?.answer ?? answer,
    arrived: (known?.arrived ?? 0) + 1,
    effects: effectsBefore + (isRejected ? 0 : 1),
  });
  return answer;
}

/** The task row an operation makes, or why it makes none. */
function decideChange(
  draft: Draft,
  payload: Payload,
  effectsBefore: number,
): Omit<TaskChange, 'seq'> | RejectReason {
  const task = draft.findTask(payload.taskId);
  switch (payload.kind) {
    case 'add-task': {
      if (task !== undefined && effectsBefore === 0) return 'task-exists';
      const taskId = effectsBefore === 0 ? payload.taskId : findFreeId(draft, payload.taskId);
      return { taskId, title: payload.title, done: false, deleted: false };
    }
    case 'set-done':
      if (task === undefined) return 'task-not-found';
      if (task.deleted) return 'task-deleted';
      return { ...withoutSeq(task), done: payload.done };
    case 'delete-task':
      // Deleting what another tab has deleted is accepted: what the user wanted is so.
      if (task === undefined) return 'task-not-found';
      return { ...withoutSeq(task), deleted: true };
    default:
      return payload satisfies never;
  }
}

function findFreeId(draft: Draft, taskId: string): string {
  let copy = 2;
  while (draft.findTask(`${taskId}~${copy}`) !== undefined) copy += 1;
  return `${taskId}~${copy}`;
}

/** Both come from the one parser, which builds every kind with its keys in one order. */
function isSamePayload(a: Payload, b: Payload): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function withoutSeq({ taskId, title, done, deleted }: TaskChange): Omit<TaskChange, 'seq'> {
  return { taskId, title, done, deleted };
}
