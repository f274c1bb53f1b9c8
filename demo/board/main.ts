/** The board page: connects, opens the workspace of `?workspace=` (default `demo`), shows, syncs, and makes trouble. */
import { connect } from 'tidelock';
import type { App } from '../worker/tasks.worker';
import { mustFind } from './element';
import { Panel, showConnection, tell } from './panel';
import { BoardSync } from './sync';
import { TaskList } from './task-list';
import { Upstream, type Fault } from './upstream';

const DATABASE = 'tidelock-demo';

/** The worker made last: what the first button kills. */
let worker: Worker | undefined;
const makeWorker = (): Worker =>
  (worker = new Worker(new URL('../worker/tasks.worker.ts', import.meta.url), { type: 'module' }));

async function start(): Promise<void> {
  const workspaceId = new URL(location.href).searchParams.get('workspace') ?? 'demo';
  const tide = await connect<App>({ name: DATABASE, worker: makeWorker });
  await tide.workspaces.open(workspaceId, { userId: 'demo-user', tenantId: 'demo' });
  const upstream = new Upstream(workspaceId);
  new Panel(tide, workspaceId);
  const sync = new BoardSync(tide, upstream, tell);
  const list = new TaskList(tide, () => void sync.run());
  makeTrouble(upstream, sync);
  await list.render();
  await sync.run();
}

function makeTrouble(upstream: Upstream, sync: BoardSync): void {
  const onClick = (id: string, work: () => void): void =>
    mustFind(id, HTMLButtonElement).addEventListener('click', work);
  onClick('kill', () => {
    worker?.terminate();
    tell('killed this tab’s worker');
  });
  onClick('sync', () => void sync.run());
  const faults: readonly Fault[] = ['lose', 'delay', 'duplicate', 'reject'];
  for (const fault of faults) {
    onClick(fault, () => {
      upstream.arm(fault).then(
        () => tell(`the server will ${fault} the next push’s answer`),
        () => tell('the server cannot be reached'),
      );
    });
  }
}

start().catch((error: unknown) => {
  showConnection(error instanceof Error ? error.message : 'could not start', 'failed');
});
