/** The demo's upstream as a program: reads the arguments, listens until it is told to stop. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { DEFAULT_JOURNAL_PATH, startSyncServer, type SyncServerOptions } from './server';

const DEFAULT_PORT = '8787';
const USAGE = `usage: tsx demo/server/main.ts [--port 8787] [--journal file] [--no-dedupe]

  --port       0 takes any free one
  --journal    where the data is kept; a restart on the same file loses nothing
  --no-dedupe  apply repeated operations again, so that a client's double can be seen

  GET    /sync/pull?workspace=w&since={"seq":0}&limit=500
  POST   /sync/push     {"workspace":"w","operations":[{"identity":"o-1","payload":{"kind":"add-task","taskId":"t-1","title":"Tea"}}]}
  GET    /sync/effects?workspace=w
  GET    /sync/faults
  POST   /sync/faults   {"next":"lose|delay|duplicate|reject","on":"push|pull|any","count":1,"delayMs":3000}
  DELETE /sync/faults`;

function parseArguments(args: readonly string[]): SyncServerOptions | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: DEFAULT_PORT },
      journal: { type: 'string', default: DEFAULT_JOURNAL_PATH },
      'no-dedupe': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const port = /^\d+$/.test(values.port) ? Number(values.port) : NaN;
  if (!(port <= 65_535)) throw new TypeError(`--port is "${values.port}", wanted 0 to 65535`);
  return { port, journalPath: resolve(values.journal), dedupe: !values['no-dedupe'] };
}

async function main(): Promise<void> {
  const options = parseArguments(process.argv.slice(2));
  if (options === 'help') {
    console.log(USAGE);
    return;
  }
  const server = await startSyncServer(options);
  console.log(`sync server listening on ${server.url}`);
  process.once('SIGINT', () => void server.close());
  process.once('SIGTERM', () => void server.close());
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
