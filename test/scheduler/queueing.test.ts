import { describe, expect, test, vi } from 'vitest';
import { createTurnYielder } from '../../worker/scheduler/yield-turn';
import { setup, type Call } from './setup';

describe('reads', () => {
  test('run before the next batch, outside a transaction', async () => {
    const { database, read, write, addNote, scheduler, readNotes } = await setup();
    const log: string[] = [];
    write(() => {
      log.push('batch 1');
      void addNote('of batch 2').outcome.then(() => log.push('batch 2'));
      read(() =>
        log.push(`read of ${readNotes().length} notes, in a transaction: ${database.isInTransaction}`),
      );
    });
    await scheduler.drain();
    expect(log).toEqual(['batch 1', 'read of 0 notes, in a transaction: false', 'batch 2']);
  });

  test('give way to a batch after a while, and go on after it', async () => {
    const { clock, read, write, scheduler } = await setup();
    const log: string[] = [];
    for (const name of ['r1', 'r2', 'r3']) {
      read(() => {
        clock.monotonicMs += 5;
        log.push(name);
      });
    }
    write(() => log.push('w'));
    await scheduler.drain();
    expect(log).toEqual(['r1', 'r2', 'w', 'r3']);
  });

  test('keep their error, and may not return a promise', async () => {
    const { read } = await setup();
    const error = new Error('of the query');
    const failed = read(() => {
      throw error;
    });
    expect(await failed.outcome).toEqual({ ok: false, error });
    expect(await read(() => Promise.resolve(1)).outcome).toMatchObject({
      error: { code: 'SYNC_COORDINATOR_ASYNC_TRANSACTION' },
    });
  });
});

describe('deadlines and cancelling', () => {
  test.each(['read', 'write'] as const)(
    'a %s whose deadline passed is dropped without running',
    async (kind) => {
      const { clock, commits, ...calls } = await setup();
      const work = vi.fn<() => void>();
      const call = calls[kind](work, 2_000);
      clock.epochMs = 2_001;
      expect(await call.outcome).toMatchObject({
        ok: false,
        error: { code: 'DEADLINE_EXCEEDED', details: { outcome: 'not-executed' } },
      });
      expect(work).not.toHaveBeenCalled();
      expect(commits).toEqual([]);
    },
  );

  test('a call at its deadline still runs', async () => {
    const { write, clock } = await setup();
    const call = write(() => 'done', 2_000);
    clock.epochMs = 2_000;
    expect(await call.outcome).toEqual({ ok: true, value: 'done' });
  });

  test('a cancelled call never runs and settles with ABORTED', async () => {
    const { write, addNote, readNotes } = await setup();
    const work = vi.fn<() => void>();
    const call = write(work);
    const neighbour = addNote('neighbour');
    expect(call.cancel()).toBe(true);
    expect(call.cancel()).toBe(false);
    expect(await call.outcome).toMatchObject({
      error: { code: 'ABORTED', details: { outcome: 'not-executed' } },
    });
    await neighbour.outcome;
    expect(work).not.toHaveBeenCalled();
    expect(readNotes()).toEqual(['neighbour']);
  });

  test('a call that has run, or is running, cannot be cancelled', async () => {
    const { read, write } = await setup();
    const done = write(() => 1);
    await done.outcome;
    expect(done.cancel()).toBe(false);
    const running: Call = write(() => running.cancel());
    expect(await running.outcome).toEqual({ ok: true, value: false });
    const reading: Call = read(() => reading.cancel());
    expect(await reading.outcome).toEqual({ ok: true, value: false });
  });
});

describe('the end', () => {
  test('close rejects what waits and what comes later with its error', async () => {
    const { addNote, read, scheduler, readNotes } = await setup();
    const error = new Error('writer gone');
    const waiting = [addNote('a'), read(() => 1)];
    scheduler.close(error);
    const later = addNote('b');
    for (const { outcome } of [...waiting, later]) expect(await outcome).toEqual({ ok: false, error });
    scheduler.close(new Error('another'));
    expect(await addNote('c').outcome).toEqual({ ok: false, error });
    await scheduler.drain();
    expect(readNotes()).toEqual([]);
  });

  test('a close in the middle of a batch leaves the batch its true outcome', async () => {
    const { addNote, write, scheduler, readNotes } = await setup();
    const closing = write(() => scheduler.close(new Error('closing')));
    const neighbour = addNote('neighbour');
    expect(await closing.outcome).toMatchObject({ ok: true });
    expect(await neighbour.outcome).toMatchObject({ ok: true });
    expect(readNotes()).toEqual(['neighbour']);
  });

  test('a beginBatch that throws ends everything, pending and later, with its error', async () => {
    const error = new Error('another writer has the epoch');
    const onFatal = vi.fn<(error: unknown) => void>();
    const beginBatch = vi.fn<() => void>(() => {
      throw error;
    });
    const { addNote, read, write, readNotes } = await setup({ beginBatch, onFatal });
    const pending = [addNote('a'), addNote('b')];
    for (const { outcome } of pending) expect(await outcome).toEqual({ ok: false, error });
    for (const { outcome } of [write(() => 1), read(() => 1)])
      expect(await outcome).toEqual({ ok: false, error });
    expect(onFatal.mock.calls).toEqual([[error]]);
    expect(beginBatch).toHaveBeenCalledTimes(1);
    expect(readNotes()).toEqual([]);
  });

  test('beginBatch runs inside each write transaction and before any call of it', async () => {
    const log: string[] = [];
    const { addNote, write, scheduler, database } = await setup({
      beginBatch: () => log.push(`begin, in a transaction: ${isIn()}`),
    });
    const isIn = (): boolean => database.isInTransaction;
    write(() => log.push('call'));
    addNote('a');
    await scheduler.drain();
    expect(log).toEqual(['begin, in a transaction: true', 'call']);
  });

  test('a settle or afterCommit that throws stops nothing', async () => {
    const onCallbackError = vi.fn<(error: unknown) => void>();
    const { scheduler, addNote, readNotes } = await setup({
      onCallbackError,
      afterCommit: () => {
        throw new Error('of afterCommit');
      },
    });
    scheduler.submit({
      kind: 'write',
      deadlineAt: null,
      work: () => undefined,
      settle: () => {
        throw new Error('of settle');
      },
    });
    expect(await addNote('a').outcome).toMatchObject({ ok: true });
    expect(await addNote('b').outcome).toMatchObject({ ok: true });
    expect(onCallbackError).toHaveBeenCalledTimes(3);
    expect(readNotes()).toEqual(['a', 'b']);
  });

  test('drain waits for what is submitted meanwhile', async () => {
    const { write, addNote, scheduler, readNotes } = await setup();
    write(() => {
      void addNote('late').outcome.then(() => addNote('later'));
    });
    await scheduler.drain();
    expect(readNotes()).toEqual(['late', 'later']);
    await scheduler.drain();
  });
});

test('a turn is one macrotask, and closing frees whoever waits', async () => {
  const { yieldTurn, close } = createTurnYielder();
  const log: string[] = [];
  queueMicrotask(() => log.push('microtask'));
  await yieldTurn();
  expect(log).toEqual(['microtask']);
  const waiting = yieldTurn();
  close();
  await waiting;
});
