import { beforeEach, describe, expect, test } from 'vitest';
import { openTab, type Tab } from '../../support/open-tab';
import { fetchTraces } from '../fetch-traces';
import { findReplay, type Replay } from './select-replay';

const traces = await fetchTraces();
const replays = traces.map(findReplay).filter((replay) => replay !== undefined);
const solitary = replays.filter(({ isSolitary }) => isSolitary);
/** The others can share a database, where they have the same workspace. */
const shared = Object.groupBy(
  replays.filter(({ isSolitary }) => !isSolitary),
  ({ workspaceId }) => workspaceId,
);

/** 53 of the 109 recorded traces qualify with 527 calls, 13 of them whole; new traces can only add to that. */
const WANTED = { traces: 53, whole: 13, calls: 527 } as const;

describe('permit calls of recorded traces from a tab, through the channel', () => {
  let tab: Tab<typeof import('./tab')>;
  beforeEach(async () => {
    tab = await openTab<typeof import('./tab')>({ module: '/test/browser/conformance/replay/tab.ts' });
  });
  const replay = (list: readonly Replay[]): Promise<Record<string, string>> =>
    tab.call('replay', `replay-${crypto.randomUUID()}`, list);

  test('half of the traces have some, and some traces nothing else', () => {
    const calls = replays.reduce((sum, { steps }) => sum + steps.length, 0);
    const whole = replays.filter(({ isWhole }) => isWhole).length;
    expect(replays.length).toBeGreaterThanOrEqual(WANTED.traces);
    expect(whole).toBeGreaterThanOrEqual(WANTED.whole);
    expect(calls).toBeGreaterThanOrEqual(WANTED.calls);
  });

  test.each(
    Object.entries(shared).map(([workspaceId, list = []]) => [workspaceId, list.length, list] as const),
  )(
    'in %s, the calls of %i traces are answered as recorded, one after the other in one database',
    async (_workspaceId, _count, list) => {
      expect(await replay(list)).toEqual({});
    },
  );

  test.each(solitary.map((trace) => [trace.name, trace] as const))(
    'the calls of %s, which looks at its whole workspace, are answered as recorded',
    async (_name, trace) => {
      expect(await replay([trace])).toEqual({});
    },
  );

  test('an answer other than the recorded one is told', async () => {
    const trace = replays.find(({ isWhole }) => isWhole);
    const first = trace?.steps[0];
    if (trace === undefined || first === undefined) throw new Error('no trace');
    const forgedStep = { ...first, expect: { result: { state: 'released' } } };
    const forged = { ...trace, steps: [forgedStep, ...trace.steps.slice(1)] };
    expect((await replay([forged]))[trace.name]).toContain('result.state');
  });
});
