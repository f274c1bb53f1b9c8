import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Operation } from '../../demo/server/operations';
import { startSyncServer, type SyncServer } from '../../demo/server/server';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

/** A journal's path in a folder of its own, removed when the test ends. */
export function createJournalPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sync-server-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'data', 'journal.ndjson');
}

/** A server on a fresh journal, or on the one given, closed when the test ends. */
export async function setup({ journalPath = createJournalPath(), dedupe = true } = {}) {
  const server = await startSyncServer({ journalPath, dedupe });
  onTestFinished(() => server.close());
  return { server, journalPath, ...createClient(server) };
}

export function createClient({ url }: Pick<SyncServer, 'url'>) {
  const send = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(url + path, init);
    const text = await response.text();
    const body: unknown = text === '' ? null : JSON.parse(text);
    return { status: response.status, body, headers: response.headers };
  };
  const post = (path: string, body: unknown): Promise<Answer> =>
    send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const read = async (path: string): Promise<unknown> => {
    const { status, body } = await send(path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  return {
    send,
    post,
    push: async (...operations: readonly Operation[]): Promise<unknown> =>
      (await post('/sync/push', { workspace: 'w', operations })).body,
    pull: (parameters = ''): Promise<unknown> => read(`/sync/pull?workspace=w${parameters}`),
    effects: (): Promise<unknown> => read('/sync/effects?workspace=w'),
    armed: (): Promise<unknown> => read('/sync/faults'),
    arm: (fault: Readonly<Record<string, unknown>>): Promise<Answer> => post('/sync/faults', fault),
  };
}

export function addTask(identity: string, taskId: string, title = `Task ${taskId}`): Operation {
  return { identity, payload: { kind: 'add-task', taskId, title } };
}

export function setDone(identity: string, taskId: string, done = true): Operation {
  return { identity, payload: { kind: 'set-done', taskId, done } };
}

export function deleteTask(identity: string, taskId: string): Operation {
  return { identity, payload: { kind: 'delete-task', taskId } };
}

export function accepted(...identities: readonly string[]) {
  return { results: identities.map((identity) => ({ identity, disposition: 'accepted' })) };
}

export function rejected(identity: string, reason: string) {
  return { results: [{ identity, disposition: 'rejected', reason }] };
}

export function task(
  seq: number,
  taskId: string,
  { done = false, deleted = false, title = `Task ${taskId}` } = {},
) {
  return { seq, taskId, title, done, deleted };
}

export function counted(identity: string, arrived: number, effects: number) {
  return { identity, arrived, effects };
}
