import { connect } from 'tidelock';
import type { Contender } from './contender';
import type { App } from './permits.worker';

/** A permit issued through the public API: checks, a look for the id, the insert, one durable commit. */
export async function openTidelock(name: string): Promise<Contender> {
  const tide = await connect<App>({
    name,
    worker: () => new Worker(new URL('./permits.worker.ts', import.meta.url), { type: 'module' }),
  });
  const workspaceId = 'w-bench';
  const { coordinatorGeneration } = await tide.workspaces.open(workspaceId, { userId: 'u', tenantId: 't' });
  const deadlineAt = new Date(Date.now() + 3_600_000).toISOString();
  return {
    call: (permitId) =>
      tide.permits.issue({
        permitId,
        workspaceId,
        coordinatorGeneration,
        operationClass: 'pull',
        deadlineAt,
      }),
    close: () => tide.close(),
  };
}
