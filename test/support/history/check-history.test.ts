import { describe, expect, test } from 'vitest';
import { TidelockError } from '../../../src/domain/tidelock-error';
import { checkHistory, RULES, type RuleId } from './check-history';
import type { FinalState } from './final-state';
import type { HistoryEvent, RowNote } from './history-event';
import { HistoryRecorder, readFailure } from './history-recorder';

const row = (sequence: number, caller = 'a'): RowNote => ({ id: `${caller}-${sequence}`, caller, sequence });
const mutate = (sequence: number) => ({ name: 'mutate', row: row(sequence) });

/** A history without fault: two mutations, a query, a push, a pull, a tab that dies in a call. */
function makeGood(): { events: HistoryEvent[]; final: FinalState } {
  const recorder = new HistoryRecorder();
  recorder.invoke('t1', mutate(1)).ok();
  recorder.invoke('t1', { name: 'mutate', row: row(2) }).ok();
  recorder.invoke('t2', { name: 'query' }).ok({ rows: ['a-1', 'a-2'] });
  recorder.invoke('t2', { name: 'push', operations: ['o-1', 'o-2'] }).ok({
    operations: [
      { identity: 'o-1', outcome: 'accepted' },
      { identity: 'o-2', outcome: 'unknown' },
    ],
  });
  recorder.saw('t1', { dataVersion: 1, writer: { epoch: 1, serverInstanceId: '1.x' } });
  recorder.saw('t1', { dataVersion: 2, writer: { epoch: 2, serverInstanceId: '2.x' } });
  recorder.saw('t2', { dataVersion: 2, writer: { epoch: 2, serverInstanceId: '2.x' } });
  recorder.invoke('t3', { name: 'mutate', row: row(1, 'b') });
  recorder.gone('t3', 'crash');
  return {
    events: [...recorder.events],
    final: {
      rows: [row(1), row(2)],
      dataVersion: 2,
      commands: [{ commandId: 'c-1', status: 'succeeded' }],
      permits: [
        { permitId: 'p-1', state: 'released', holderId: 's-3' },
        { permitId: 'p-2', state: 'issued-idle', holderId: 's-1' },
        { permitId: 'p-3', state: 'issued-idle', holderId: null },
      ],
      livingSessionIds: ['s-1', 's-2'],
      obligations: [],
      upstream: {
        effects: [
          { identity: 'o-1', effects: 1 },
          { identity: 'o-2', effects: 1 },
        ],
        fetched: ['u-1'],
        applied: [{ id: 'u-1', times: 1 }],
        echoed: [{ identity: 'o-1', times: 1 }],
      },
    },
  };
}

type Spoil = (good: { events: HistoryEvent[]; final: FinalState }) => Partial<{
  events: HistoryEvent[];
  final: FinalState;
}>;
const fail = (tab: string, callId: string, code: string): HistoryEvent => ({
  kind: 'fail',
  tab,
  callId,
  error: { code, message: 'no' },
});
const invoke = (
  tab: string,
  callId: string,
  call: { name: string; row?: RowNote; boundMs?: number },
  at = 0,
) => ({ kind: 'invoke', tab, callId, call, at }) as const;
const ok = (tab: string, callId: string, at = 0, rows?: readonly string[]): HistoryEvent => ({
  kind: 'ok',
  tab,
  callId,
  at,
  value: rows === undefined ? {} : { rows },
});
const effects = (...counts: readonly [identity: string, effects: number][]) =>
  counts.map(([identity, count]) => ({ identity, effects: count }));

/** Each spoils the good history in one way. */
const SPOILS: Readonly<Record<RuleId, readonly Spoil[]>> = {
  'call-hangs': [({ events }) => ({ events: [...events, invoke('t1', 'x', { name: 'query' })] })],
  'call-ends-twice': [({ events }) => ({ events: [...events, ok('t1', 't1#1')] })],
  'call-late': [
    ({ events }) => ({
      events: [...events, invoke('t1', 'x', { name: 'query', boundMs: 10 }, 5), ok('t1', 'x', 16)],
    }),
  ],
  'stray-end': [
    ({ events }) => ({ events: [...events, ok('t1', 'nobody')] }),
    ({ events }) => ({ events: [...events, ok('t2', 't1#1')] }),
    ({ events }) => ({ events: [...events, invoke('t1', 't1#1', { name: 'query' })] }),
  ],
  ghost: [({ events }) => ({ events: [...events, ok('t3', 't3#5')] })],
  'survivor-failed': [
    ({ events }) => ({
      events: [...events, invoke('t1', 'x', { name: 'query' }), fail('t1', 'x', 'DEADLINE_EXCEEDED')],
    }),
  ],
  'acknowledged-lost': [({ final }) => ({ final: { ...final, rows: [row(1)] } })],
  'row-twice': [({ final }) => ({ final: { ...final, rows: [row(1), row(2), row(2)] } })],
  'failed-but-done': [
    ({ events, final }) => ({
      events: [...events, invoke('t3', 'x', mutate(3)), fail('t3', 'x', 'CALL_CRASHED_WRITER')],
      final: { ...final, rows: [row(1), row(2), row(3)] },
    }),
  ],
  'row-from-nowhere': [({ final }) => ({ final: { ...final, rows: [row(1), row(2), row(9)] } })],
  'order-lost': [({ final }) => ({ final: { ...final, rows: [row(2), row(1)] } })],
  'stale-read': [
    ({ events }) => ({
      events: [...events, invoke('t2', 'x', { name: 'query' }), ok('t2', 'x', 0, ['a-1'])],
    }),
  ],
  'dirty-read': [
    ({ events }) => ({
      events: [...events, invoke('t2', 'x', { name: 'query' }), ok('t2', 'x', 0, ['a-1', 'a-2', 'b-1'])],
    }),
    ({ events }) => ({
      events: [...events, invoke('t2', 'x', { name: 'query' }), ok('t2', 'x', 0, ['a-1', 'a-2', 'c-1'])],
    }),
  ],
  'effect-twice': [
    ({ final }) => ({
      final: { ...final, upstream: { effects: effects(['o-1', 2], ['o-2', 1]) } },
    }),
  ],
  'accepted-without-effect': [
    ({ final }) => ({ final: { ...final, upstream: { effects: effects(['o-1', 0]) } } }),
  ],
  'effect-from-nowhere': [
    ({ final }) => ({ final: { ...final, upstream: { effects: effects(['o-1', 1], ['o-9', 1]) } } }),
  ],
  'pull-once': [
    ({ final }) => spoilUpstream(final, { applied: [{ id: 'u-1', times: 2 }] }),
    ({ final }) => spoilUpstream(final, { applied: [] }),
    ({ final }) => spoilUpstream(final, { fetched: [] }),
  ],
  'echo-once': [
    ({ final }) => spoilUpstream(final, { echoed: [] }),
    ({ final }) => spoilUpstream(final, { echoed: [{ identity: 'o-1', times: 2 }] }),
    ({ final }) =>
      spoilUpstream(final, {
        effects: effects(['o-1', 1]),
        echoed: [
          { identity: 'o-1', times: 1 },
          { identity: 'o-2', times: 1 },
        ],
      }),
  ],
  'data-version-fell': [
    ({ events }) => ({ events: [...events, { kind: 'saw', tab: 't1', what: { dataVersion: 1 } }] }),
  ],
  'change-not-told': [({ final }) => ({ final: { ...final, dataVersion: 3 } })],
  'epoch-fell': [
    ({ events }) => ({
      events: [
        ...events,
        { kind: 'saw', tab: 't1', what: { writer: { epoch: 1, serverInstanceId: '1.x' } } },
      ],
    }),
  ],
  'epoch-shared': [
    ({ events }) => ({
      events: [
        ...events,
        { kind: 'saw', tab: 't1', what: { writer: { epoch: 2, serverInstanceId: '2.y' } } },
      ],
    }),
  ],
  'command-twice': [
    ({ final }) => ({
      final: { ...final, commands: [...(final.commands ?? []), ...(final.commands ?? [])] },
    }),
  ],
  'command-ends-once': [
    ({ final }) => ({ final: { ...final, commands: [{ commandId: 'c-1', status: 'running' }] } }),
    ({ events }) => ({
      events: [
        ...events,
        { kind: 'saw', tab: 't1', what: { command: { commandId: 'c-1', status: 'failed' } } },
      ],
    }),
  ],
  'permit-of-the-dead': [
    ({ final }) => ({
      final: { ...final, permits: [{ permitId: 'p-1', state: 'gateway-in-flight', holderId: 's-3' }] },
    }),
  ],
  'obligation-open': [
    ({ final }) => ({ final: { ...final, obligations: [{ obligationId: 'ob-1', permitId: 'p-1' }] } }),
  ],
};

function spoilUpstream(final: FinalState, change: Partial<FinalState['upstream']>): { final: FinalState } {
  return { final: { ...final, upstream: { effects: [], ...final.upstream, ...change } } };
}

describe('the history checker', () => {
  test('finds nothing in a history without fault', () => {
    const { events, final } = makeGood();
    expect(checkHistory(events, final)).toEqual([]);
  });

  const cases = Object.entries(SPOILS).flatMap(([rule, spoils]) =>
    spoils.map((spoil, index) => ({ rule, spoil, number: index + 1 })),
  );
  test.each(cases)('finds a break of $rule ($number)', ({ rule, spoil }) => {
    const good = makeGood();
    const { events, final } = { ...good, ...spoil(good) };
    expect(checkHistory(events, final).map((violation) => violation.rule)).toContain(rule);
  });

  test('proves every rule it has', () => {
    expect(Object.keys(SPOILS)).toEqual(Object.keys(RULES));
  });

  test('lets a call fail with the codes it is allowed', () => {
    const { events, final } = makeGood();
    const failing = [...events, invoke('t1', 'x', { name: 'query' }), fail('t1', 'x', 'ABORTED')];
    expect(checkHistory(failing, final, { allowedCodes: ['ABORTED'] })).toEqual([]);
  });

  test('bears with what ended unknown, there or not', () => {
    const { events, final } = makeGood();
    const unknown: HistoryEvent[] = [
      ...events,
      invoke('t1', 'x', mutate(3)),
      {
        kind: 'unknown',
        tab: 't1',
        callId: 'x',
        error: { code: 'ABORTED', message: '', outcome: 'unknown' },
      },
    ];
    const options = { allowedCodes: ['ABORTED'] };
    expect(checkHistory(unknown, final, options)).toEqual([]);
    expect(checkHistory(unknown, { ...final, rows: [row(1), row(2), row(3)] }, options)).toEqual([]);
  });
});

describe('the recorder', () => {
  test('tells what did not happen from what is not known', () => {
    const make = (code: 'ABORTED' | 'OUTCOME_UNKNOWN' | 'CALL_CRASHED_WRITER', details = {}) =>
      readFailure(new TidelockError(code, 'no', { details })).kind;
    expect(make('ABORTED', { outcome: 'not-executed' })).toBe('fail');
    expect(make('ABORTED', { outcome: 'unknown' })).toBe('unknown');
    expect(make('OUTCOME_UNKNOWN')).toBe('unknown');
    expect(make('CALL_CRASHED_WRITER')).toBe('fail');
    expect(readFailure(new TypeError('what')).kind).toBe('unknown');
  });

  test('stamps events with its clock, but not those that bring their time', () => {
    let nowMs = 5;
    const recorder = new HistoryRecorder({ now: () => nowMs });
    const call = recorder.invoke('t1', { name: 'query' });
    nowMs = 9;
    call.ok();
    recorder.add({ kind: 'gone', tab: 't1', how: 'crash', at: 7 });
    expect(recorder.events.map(({ at }) => at)).toEqual([5, 9, 7]);
  });
});
