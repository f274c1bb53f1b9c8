import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDemo, type Demo, type StartDemoOptions } from '../../../demo/start-demo';

/** The demo on ports and a journal of its own. Close it. */
export async function startFreshDemo(options: StartDemoOptions = {}): Promise<Demo> {
  const folder = await mkdtemp(join(tmpdir(), 'tidelock-demo-'));
  const demo = await startDemo({ port: 0, journalPath: join(folder, 'journal.ndjson'), ...options });
  return {
    ...demo,
    close: async () => {
      await demo.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
