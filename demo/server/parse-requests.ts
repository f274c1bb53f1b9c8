import { FAULT_KINDS, FAULT_TARGETS, type Fault } from './faults';
import type { Operation, Payload } from './operations';
import {
  joinPath,
  parseArray,
  parseBoolean,
  parseInteger,
  parseJson,
  parseObject,
  parseOneOf,
  parseString,
  unwanted,
} from './parse';

/** Ids of every sort, as the client limits them. */
export const ID_LENGTH = { min: 1, max: 200 };
export const TITLE_LENGTH = { min: 1, max: 2_000 };
/** A push is one journal line and one fsync; more operations than this belong in another. */
const MAX_OPERATIONS = 5_000;
/** Large enough to hand out a big workspace in one page, which a test of slow applies wants. */
const PAGE_LIMIT = { min: 1, max: 100_000 };
const DEFAULT_PAGE_LIMIT = 500;
const FAULT_COUNT = { min: 1, max: 1_000 };
/** Past what a client waits for, yet short of a timer nobody remembers. */
const FAULT_DELAY_MS = { min: 0, max: 600_000 };
const DEFAULT_FAULT_DELAY_MS = 3_000;
const KINDS = ['add-task', 'set-done', 'delete-task'] as const satisfies readonly Payload['kind'][];

export interface PushRequest {
  readonly workspace: string;
  readonly operations: readonly Operation[];
}

export interface PullRequest {
  readonly workspace: string;
  /** 0 reads from the start. */
  readonly sinceSeq: number;
  readonly limit: number;
}

export function parsePush(body: unknown): PushRequest {
  const { workspace, operations } = parseObject(body, '', ['workspace', 'operations']);
  return {
    workspace: parseString(workspace, 'workspace', ID_LENGTH),
    operations: parseArray(operations, 'operations', MAX_OPERATIONS).map((operation, index) => {
      const path = joinPath('operations', index);
      const { identity, payload } = parseObject(operation, path, ['identity', 'payload']);
      return {
        identity: parseString(identity, joinPath(path, 'identity'), ID_LENGTH),
        payload: parsePayload(payload, joinPath(path, 'payload')),
      };
    }),
  };
}

export function parsePayload(value: unknown, path: string): Payload {
  const fields = parseObject(value, path, ['kind', 'taskId', 'title', 'done']);
  const kind = parseOneOf(fields['kind'], joinPath(path, 'kind'), KINDS);
  const taskId = parseString(fields['taskId'], joinPath(path, 'taskId'), ID_LENGTH);
  switch (kind) {
    case 'add-task':
      parseObject(value, path, ['kind', 'taskId', 'title']);
      return { kind, taskId, title: parseString(fields['title'], joinPath(path, 'title'), TITLE_LENGTH) };
    case 'set-done':
      parseObject(value, path, ['kind', 'taskId', 'done']);
      return { kind, taskId, done: parseBoolean(fields['done'], joinPath(path, 'done')) };
    case 'delete-task':
      parseObject(value, path, ['kind', 'taskId']);
      return { kind, taskId };
    default:
      return kind satisfies never;
  }
}

export function parsePull(query: URLSearchParams): PullRequest {
  const { workspace, since, limit } = parseQuery(query, ['workspace', 'since', 'limit']);
  return {
    workspace: parseString(workspace, 'workspace', ID_LENGTH),
    sinceSeq: since === undefined ? 0 : parseCursor(since),
    limit:
      limit === undefined ? DEFAULT_PAGE_LIMIT : parseInteger(parseJson(limit, 'limit'), 'limit', PAGE_LIMIT),
  };
}

export function parseEffects(query: URLSearchParams): { readonly workspace: string } {
  const { workspace } = parseQuery(query, ['workspace']);
  return { workspace: parseString(workspace, 'workspace', ID_LENGTH) };
}

export function parseFault(body: unknown): Fault {
  const { next, on, count, delayMs } = parseObject(body, '', ['next', 'on', 'count', 'delayMs']);
  const kind = parseOneOf(next, 'next', FAULT_KINDS);
  if (delayMs !== undefined && kind !== 'delay') throw unwanted(delayMs, 'delayMs', `none with next ${kind}`);
  return {
    next: kind,
    on: on === undefined ? 'any' : parseOneOf(on, 'on', FAULT_TARGETS),
    count: count === undefined ? 1 : parseInteger(count, 'count', FAULT_COUNT),
    delayMs:
      kind === 'delay' ? parseInteger(delayMs ?? DEFAULT_FAULT_DELAY_MS, 'delayMs', FAULT_DELAY_MS) : 0,
  };
}

function parseCursor(text: string): number {
  const { seq } = parseObject(parseJson(text, 'since'), 'since', ['seq']);
  return parseInteger(seq, 'since.seq', { min: 0, max: Number.MAX_SAFE_INTEGER });
}

/** A misspelt parameter would be read as absent, and a pull without `since` starts over: so no others, and none twice. */
function parseQuery<K extends string>(
  query: URLSearchParams,
  keys: readonly K[],
): Partial<Record<K, string>> {
  parseObject(Object.fromEntries(query), '', keys);
  const values: Partial<Record<K, string>> = {};
  for (const key of keys) {
    const [value, ...others] = query.getAll(key);
    if (others.length > 0) throw unwanted(query.getAll(key), key, 'one value');
    if (value !== undefined) values[key] = value;
  }
  return values;
}
