/** `npm start`: the demo as a program. Reads the arguments, runs until it is told to stop. */
import { parseArgs } from 'node:util';
import { startDemo, type StartDemoOptions } from './start-demo';

const USAGE = `usage: npm start -- [--port 5173] [--no-dedupe] [--fresh]

  --port       the page server's port; taken, the next free one
  --no-dedupe  the sync server applies repeated operations again, so that a client's double can be seen
  --fresh      forget what the sync server knew`;

function parseArguments(args: readonly string[]): StartDemoOptions | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string' },
      'no-dedupe': { type: 'boolean', default: false },
      fresh: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const options = { dedupe: !values['no-dedupe'], fresh: values.fresh, logLevel: 'info' } as const;
  return values.port === undefined ? options : { ...options, port: parsePort(values.port) };
}

function parsePort(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65_535)) throw new TypeError(`--port is "${text}", wanted 0 to 65535`);
  return port;
}

async function main(): Promise<void> {
  const options = parseArguments(process.argv.slice(2));
  if (options === 'help') {
    console.log(USAGE);
    return;
  }
  const demo = await startDemo(options);
  const stop = (): void => {
    // A second signal ends the process at once.
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
    demo.close().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  console.log(`tidelock demo: ${demo.url}`);
  console.log(`lab: ${demo.labUrl}`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
