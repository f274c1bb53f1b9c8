import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openMemory } from '../../worker/sqlite/open-memory';
import { findDifference } from './find-difference';
import { readTraces } from './read-traces';
import { runTrace } from './runner';
import type { Trace } from './trace';

const traces = [...readTraces(join(import.meta.dirname, 'traces.ndjson.gz'))];

test('the recorded traces are all there', () => {
  expect(traces.length).toBeGreaterThanOrEqual(109);
  expect(new Set(traces.map((trace) => trace.name)).size).toBe(traces.length);
});

test.each(traces)('the stores do what the trace "$name" recorded', async (trace) => {
  expect(runTrace(trace, await openMemory())).toBeUndefined();
});

test('a trace that says otherwise fails, and where', async () => {
  const [trace] = traces;
  if (trace === undefined) throw new Error('no trace');
  const [first, ...rest] = trace.steps;
  if (first === undefined) throw new Error('no step');
  const forged: Trace = {
    ...trace,
    steps: [{ ...first, expect: { result: { coordinatorGeneration: 7 } } }, ...rest],
  };
  expect(runTrace(forged, await openMemory())).toContain('step 0 (coordinator.readOrCreateState)');
});

test('rows that differ at the end fail a trace whose every step went well', async () => {
  const [trace] = traces;
  if (trace === undefined) throw new Error('no trace');
  const forged: Trace = { ...trace, final: { local_sync_recovery_obligations: [{ obligation_id: 'x' }] } };
  expect(runTrace(forged, await openMemory())).toContain('final rows: local_sync_recovery_obligations');
});

test('only keys that a trace names count, and any text stands for <text>', () => {
  expect(findDifference({ a: [1, '<text>'] }, { a: [1, 'words'], b: 2 })).toBeUndefined();
  expect(findDifference({ a: [1] }, { a: [1, 2] })).toContain('a.length');
  expect(findDifference({ a: '<text>' }, { a: '' })).toContain('some text');
  expect(findDifference({ a: null }, {})).toBeUndefined();
});
