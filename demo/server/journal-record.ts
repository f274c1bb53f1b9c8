import {
  REJECT_REASONS,
  type Answer,
  type OperationRecord,
  type PushWrites,
  type TaskChange,
} from './operations';
import {
  joinPath,
  parseArray,
  parseBoolean,
  parseInteger,
  parseObject,
  parseOneOf,
  parseString,
} from './parse';
import { ID_LENGTH, TITLE_LENGTH, parsePayload } from './parse-requests';

/** Raised when lines change their shape, so that an older server refuses a newer journal instead of misreading it. */
const FORMAT = 1;
const COUNT = { min: 0, max: Number.MAX_SAFE_INTEGER };
/** Ids of the doubles that `dedupe: false` makes outgrow what a request may hold. */
const STORED_ID_LENGTH = { min: 1, max: 2 * ID_LENGTH.max };

/** One journal line: the rows one push left behind. */
export function toRecord(workspace: string, { operations, tasks }: PushWrites): unknown {
  return { format: FORMAT, workspace, operations, tasks };
}

/** @throws InvalidInputError for anything `toRecord` did not make. */
export function parseRecord(value: unknown): { readonly workspace: string; readonly writes: PushWrites } {
  const fields = parseObject(value, '', ['format', 'workspace', 'operations', 'tasks']);
  parseInteger(fields['format'], 'format', { min: FORMAT, max: FORMAT });
  return {
    workspace: parseString(fields['workspace'], 'workspace', ID_LENGTH),
    writes: {
      operations: parseArray(fields['operations'], 'operations', Infinity).map((row, index) =>
        parseOperationRecord(row, joinPath('operations', index)),
      ),
      tasks: parseArray(fields['tasks'], 'tasks', Infinity).map((row, index) =>
        parseTask(row, joinPath('tasks', index)),
      ),
    },
  };
}

function parseOperationRecord(value: unknown, path: string): OperationRecord {
  const row = parseObject(value, path, ['identity', 'payload', 'answer', 'arrived', 'effects']);
  return {
    identity: parseString(row['identity'], joinPath(path, 'identity'), ID_LENGTH),
    payload: parsePayload(row['payload'], joinPath(path, 'payload')),
    answer: parseAnswer(row['answer'], joinPath(path, 'answer')),
    arrived: parseInteger(row['arrived'], joinPath(path, 'arrived'), COUNT),
    effects: parseInteger(row['effects'], joinPath(path, 'effects'), COUNT),
  };
}

function parseAnswer(value: unknown, path: string): Answer {
  const row = parseObject(value, path, ['disposition', 'reason']);
  const disposition = parseOneOf(row['disposition'], joinPath(path, 'disposition'), ['accepted', 'rejected']);
  if (disposition === 'accepted') return { disposition };
  return { disposition, reason: parseOneOf(row['reason'], joinPath(path, 'reason'), REJECT_REASONS) };
}

function parseTask(value: unknown, path: string): TaskChange {
  const row = parseObject(value, path, ['seq', 'taskId', 'title', 'done', 'deleted']);
  return {
    seq: parseInteger(row['seq'], joinPath(path, 'seq'), COUNT),
    taskId: parseString(row['taskId'], joinPath(path, 'taskId'), STORED_ID_LENGTH),
    title: parseString(row['title'], joinPath(path, 'title'), TITLE_LENGTH),
    done: parseBoolean(row['done'], joinPath(path, 'done')),
    deleted: parseBoolean(row['deleted'], joinPath(path, 'deleted')),
  };
}
