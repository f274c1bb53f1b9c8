import { describe, expect, test } from 'vitest';
import { isThorough } from '../../support/times';
import { freshDatabase, joinLedger, mustBeOk, readOrder, shouldFailWith, takeWriterPlace } from './setup';

describe('a writer that keeps its place and says nothing', () => {
  test('is named at the deadline of a call, and seen in the status; when it speaks again, all is well', async () => {
    const db = freshDatabase();
    const writer = await joinLedger(db);
    const tab = await joinLedger(db);
    const busy = writer.call('spin', 7_000);
    const waiting = tab.call('mutate', 'append', 'a', 0);
    const { sessionId } = await writer.call('readStatus');
    const ended = await tab.call('mutate', 'append', 'never', 0, { timeoutMs: 4_500 });
    shouldFailWith(ended, 'WRITER_UNRESPONSIVE');
    expect(ended).toMatchObject({ details: { holder: { sessionId, clientId: expect.any(String) } } });
    expect((await tab.call('readStatus')).connection).toBe('unresponsive');
    mustBeOk(await busy);
    mustBeOk(await waiting);
    await tab.call('waitForConnection', 'connected');
    expect(await readOrder(tab)).toBe('a0');
    expect((await tab.call('readStatus')).writer?.epoch).toBe(1);
  });

  test.runIf(isThorough())('is named where it is no worker of a tab that this database knows', async () => {
    const db = freshDatabase();
    const writer = await joinLedger(db);
    const tab = await joinLedger(db);
    await tab.call('waitForStage', 'waiting');
    const place = takeWriterPlace(db);
    await Promise.all([writer.close(), tab.terminateWorkers()]);
    await place.granted;
    const ended = await tab.call('query', 'count', { timeoutMs: 4_500 });
    shouldFailWith(ended, 'WRITER_UNRESPONSIVE');
    expect(ended).toMatchObject({ details: { holder: { sessionId: null, clientId: expect.any(String) } } });
    place.release();
    mustBeOk(await tab.call('query', 'count'));
    await tab.call('waitForConnection', 'connected');
  });
});

describe('a worker that hangs on its way to being the writer', () => {
  test(
    'shows its stage and when that stage counts as hung, and is named; then it is ended, and another tab’s worker takes the place',
    { timeout: 120_000 },
    async () => {
      const db = freshDatabase();
      const writer = await joinLedger(db);
      const hanging = await joinLedger(db, { faults: 'stall=acquiring-files' });
      const tab = await joinLedger(db);
      const { sessionId } = await hanging.call('readStatus');
      expect(await hanging.call('waitForStage', 'waiting')).toBeNull();
      const waiting = hanging.call('mutate', 'append', 'h', 0, { timeoutMs: 60_000 });
      mustBeOk(await waiting);
      await writer.close();
      const deadlineAt = await hanging.call('waitForStage', 'acquiring-files');
      expect(deadlineAt).toBeGreaterThan(Date.now() + 5_000);
      expect(deadlineAt).toBeLessThan(Date.now() + 30_000);
      const ended = await tab.call('mutate', 'append', 'never', 0, { timeoutMs: 4_500 });
      expect(ended).toMatchObject({ code: 'WRITER_UNRESPONSIVE', details: { holder: { sessionId } } });
      if (!isThorough()) return; // the rest takes until the stage's time is over
      mustBeOk(await tab.call('mutate', 'append', 't', 0, { timeoutMs: 60_000 }));
      expect(Date.now()).toBeGreaterThanOrEqual((deadlineAt ?? Infinity) - 1_000);
      expect(await readOrder(hanging)).toBe('h0 t0');
    },
  );
});
