import type { AppliedPull, StreamScope } from '../../src/protocol/gateway-calls';

/**
 * The last pull of each stream that this writer has applied, for the tabs that waited for it. In memory only: after a
 * takeover they pull for themselves. Noted inside the transaction that applies it; whether that was committed is told
 * by the permit.
 */
export class AppliedPulls {
  readonly #last = new Map<string, AppliedPull>();

  note(scope: StreamScope, pull: AppliedPull): void {
    this.#last.set(keyOf(scope), pull);
  }

  find(scope: StreamScope): AppliedPull | null {
    return this.#last.get(keyOf(scope)) ?? null;
  }
}

function keyOf({ workspaceId, stream }: StreamScope): string {
  return JSON.stringify([workspaceId, stream]);
}
