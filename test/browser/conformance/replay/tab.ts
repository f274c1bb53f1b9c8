/** Runs in a real tab: a client of a fresh database does the permit calls of a trace, through the channel. */
import { connect, isTidelockError, type TideOf } from 'tidelock';
import type { Step } from '../../../conformance/trace';
import type { App } from './permits.worker';
import type { Replay } from './select-replay';
import { Translation } from './translation';

const PRINCIPAL = { userId: 'u-1', tenantId: 't-1' };

/** Where the tab was answered otherwise than the traces say, by their names: nothing where all is well. */
export async function replay(db: string, traces: readonly Replay[]): Promise<Record<string, string>> {
  const [first] = traces;
  if (first === undefined) return {};
  const tide = await connect<App>({
    name: db,
    worker: () => new Worker(new URL('./permits.worker.ts', import.meta.url), { type: 'module' }),
  });
  try {
    const { coordinatorGeneration: generation } = await tide.workspaces.open(first.workspaceId, PRINCIPAL);
    const serverInstanceId = tide.status.writer?.serverInstanceId ?? '';
    const differences: Record<string, string> = {};
    for (const [index, trace] of traces.entries()) {
      const translation = new Translation(trace, { generation, serverInstanceId, prefix: `${index}.` });
      const difference = await replayOne(tide, translation, trace);
      if (difference !== undefined) differences[trace.name] = difference;
    }
    return differences;
  } finally {
    tide.close();
  }
}

async function replayOne(
  tide: TideOf<App>,
  translation: Translation,
  trace: Replay,
): Promise<string | undefined> {
  for (const [index, step] of trace.steps.entries()) {
    const difference = await take(tide, translation, step);
    if (difference !== undefined) return `step ${index} (${step.op}): ${difference}`;
  }
  return trace.isWhole ? compareFinal(tide, translation, trace) : undefined;
}

async function take(
  tide: TideOf<App>,
  translation: Translation,
  { op, args = [], now = '', expect = { result: null } }: Step,
): Promise<string | undefined> {
  const method = op.slice('permits.'.length);
  const call: unknown = Reflect.get(tide.permits, method);
  if (typeof call !== 'function') return `the client has no ${method}`;
  const key = method === 'read' ? 'permitId' : '';
  const input = args.map((arg) => translation.toInput(arg, Date.parse(now), key));
  try {
    const answer: unknown = await Reflect.apply(call, tide.permits, input);
    if ('error' in expect) return `expected ${expect.error.code}, found ${JSON.stringify(answer)}`;
    return translation.findDifference(expect.result, answer);
  } catch (error) {
    const code = isTidelockError(error) ? error.code : String(error);
    if ('error' in expect && expect.error.code === code) return undefined;
    return `expected ${JSON.stringify(expect)}, found ${code}`;
  }
}

/** The trace's last rows of permits, against what the tab reads of them. */
async function compareFinal(
  tide: TideOf<App>,
  translation: Translation,
  { final }: Replay,
): Promise<string | undefined> {
  for (const row of final?.['local_sync_execution_permits'] ?? []) {
    const expected = toFields(row);
    const permitId = translation.toInput(expected['permitId'], 0, 'permitId');
    const difference = translation.findDifference(
      expected,
      await tide.permits.read(String(permitId)),
      'final',
    );
    if (difference !== undefined) return difference;
  }
  return undefined;
}

/** A row as the stores tell it: columns in camel case, `_json` parsed and dropped from names. */
function toFields(row: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(row as object).map(([column, value]) => [
      column.replace(/_json$/, '').replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
      value as unknown,
    ]),
  );
}
