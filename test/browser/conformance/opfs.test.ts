import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Trace } from '../../conformance/trace';
import { fetchTraces } from './fetch-traces';
import { startStores, type StoresWorker } from './start-stores';

const traces = await fetchTraces();
const named = traces.map((trace) => [trace.name, trace] as const);

describe('the recorded traces on OPFS', () => {
  let stores: StoresWorker;
  let born: readonly string[] = [];
  beforeAll(async () => {
    stores = await startStores();
    born = stores.tables;
  });
  afterAll(() => stores.stop());

  test('they are all there', () => {
    expect(traces.length).toBeGreaterThanOrEqual(109);
    expect(new Set(traces.map(({ name }) => name)).size).toBe(traces.length);
  });

  test.each(named)('the stores do what %s recorded, and leave nothing behind', async (_name, trace) => {
    expect(await stores.run(trace)).toBeNull();
    expect(stores.tables).toEqual(born);
  });

  test('a trace that says otherwise fails', async () => {
    const [trace] = traces;
    if (trace === undefined) throw new Error('no trace');
    const forged: Trace = { ...trace, final: { local_sync_recovery_obligations: [{ obligation_id: 'x' }] } };
    expect(await stores.run(forged)).toContain('final rows: local_sync_recovery_obligations');
  });
});
