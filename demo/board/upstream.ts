import { UpstreamRejected, type Json, type PullAnswer, type PushAnswer, type PushOperation } from 'tidelock';
import type { z } from 'zod';
import type { taskChange } from '../worker/apply';
import type { OperationPayload } from '../worker/operations';

export interface TaskPage {
  readonly changes: z.infer<typeof taskChange>[];
}

interface PullReply extends TaskPage {
  readonly nextCursor: { readonly seq: number };
  readonly more: boolean;
}

interface PushReply {
  readonly results: readonly {
    readonly identity: string;
    readonly disposition: 'accepted' | 'rejected';
    readonly reason?: string;
  }[];
}

export type Fault = 'lose' | 'delay' | 'duplicate' | 'reject';

/** The demo's sync server, as a tab talks to it. */
export class Upstream {
  readonly #workspace: string;

  constructor(workspace: string) {
    this.#workspace = workspace;
  }

  async pull(cursor: Json, signal: AbortSignal): Promise<PullAnswer<TaskPage> & { readonly more: boolean }> {
    const since = cursor === null ? '' : `&since=${encodeURIComponent(JSON.stringify(cursor))}`;
    const reply = await send<PullReply>(
      `/sync/pull?workspace=${encodeURIComponent(this.#workspace)}${since}`,
      { signal },
    );
    return {
      disposition: 'accepted',
      page: { changes: reply.changes },
      nextCursor: reply.nextCursor,
      more: reply.more,
    };
  }

  async push(
    operations: readonly PushOperation<OperationPayload>[],
    signal: AbortSignal,
  ): Promise<PushAnswer<TaskPage>> {
    const { results } = await send<PushReply>('/sync/push', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ workspace: this.#workspace, operations }),
      signal,
    });
    return { results, page: { changes: [] } };
  }

  /** Arms the server: the next answer to anybody is lost, late, handled twice or refused. */
  async arm(next: Fault, on: 'push' | 'pull' | 'any' = 'push'): Promise<void> {
    await send('/sync/faults', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ next, on }),
    });
  }
}

/** A refusal is known to have had no effect; of a broken line or a failing server nothing is known. */
async function send<Reply>(path: string, init: RequestInit): Promise<Reply> {
  const response = await fetch(path, init);
  if (response.ok) return (await response.json()) as Reply; // the demo's own server
  const text = await response.text();
  const message = `${path.split('?')[0] ?? path} answered ${response.status}${text === '' ? '' : `: ${text.slice(0, 200)}`}`;
  throw response.status < 500 ? new UpstreamRejected(message) : new Error(message);
}
