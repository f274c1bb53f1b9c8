import { describe, expect, test } from 'vitest';
import { freshDatabase, joinTab, mustBeOk, openNotesTab, shouldFailWith } from './setup';

describe('connect', () => {
  test.each(['', '../up', 'a/b', 'a b', '.hidden', 'ü', 'x'.repeat(65)])(
    'refuses the database name %j',
    async (name) => {
      const tab = await openNotesTab();
      const outcome = await tab.call('joinOnly', name);
      shouldFailWith(outcome, 'INVALID_INPUT');
      expect(outcome).toMatchObject({ details: { path: 'name' } });
    },
  );

  test('a worker that never says anything is START_TIMEOUT with its stage', async () => {
    const tab = await openNotesTab();
    const outcome = await tab.call('join', freshDatabase(), { worker: 'silent', startTimeoutMs: 500 });
    shouldFailWith(outcome, 'START_TIMEOUT');
    expect(outcome).toMatchObject({ details: { stage: 'loading' } });
  });

  test('a failing app migration is MIGRATION_FAILED, and the previous build still opens with its data', async () => {
    const db = freshDatabase();
    const before = await joinTab(db);
    mustBeOk(await before.call('addNote', 'kept'));
    await before.close();
    const next = await openNotesTab();
    const outcome = await next.call('join', db, { worker: 'broken-migration' });
    shouldFailWith(outcome, 'MIGRATION_FAILED');
    expect(outcome).toMatchObject({ details: { migration: 'app/2-broken' } });
    const again = await joinTab(db);
    expect(await again.call('listNotes')).toEqual(['kept']);
  });

  test('in memory it says so, and keeps nothing past its writer', async () => {
    const db = freshDatabase();
    const tab = await openNotesTab();
    expect(mustBeOk(await tab.call('join', db, { storage: 'memory' })).storage).toBe('memory');
    mustBeOk(await tab.call('addNote', 'gone'));
    await tab.reload();
    mustBeOk(await tab.call('join', db, { storage: 'memory' }));
    expect(await tab.call('listNotes')).toEqual([]);
  });

  test('what was written is there after a reload', async () => {
    const db = freshDatabase();
    const tab = await joinTab(db);
    mustBeOk(await tab.call('addNote', 'kept'));
    await tab.reload();
    expect(mustBeOk(await tab.call('join', db)).storage).toBe('opfs');
    expect(await tab.call('listNotes')).toEqual(['kept']);
  });

  test('in a page without Web Locks, or not secure, it is UNSUPPORTED_ENVIRONMENT and names what is missing', async () => {
    const tab = await openNotesTab();
    await tab.evaluate(() => Object.defineProperty(navigator, 'locks', { value: undefined }));
    expect(await tab.call('joinOnly', freshDatabase())).toMatchObject({
      ok: false,
      code: 'UNSUPPORTED_ENVIRONMENT',
      details: { missing: 'locks' },
    });
    await tab.evaluate(() => Object.defineProperty(globalThis, 'isSecureContext', { value: false }));
    expect(await tab.call('joinOnly', freshDatabase())).toMatchObject({
      ok: false,
      code: 'UNSUPPORTED_ENVIRONMENT',
      details: { missing: 'secure context' },
    });
  });
});

describe('storage that the browser refuses', () => {
  test('is STORAGE_BLOCKED and says what to do; nothing falls back to memory by itself', async () => {
    const db = freshDatabase();
    const tab = await openNotesTab();
    const outcome = await tab.call('join', db, { worker: 'blocked' });
    shouldFailWith(outcome, 'STORAGE_BLOCKED');
    expect(outcome).toMatchObject({ message: expect.stringMatching(/memory/) });
    expect(mustBeOk(await tab.call('join', db, { worker: 'blocked', storage: 'memory' })).storage).toBe(
      'memory',
    );
  });
});

describe('bad input from a tab', () => {
  test('a mutation without a workspace is WORKSPACE_NONE', async () => {
    const tab = await openNotesTab();
    mustBeOk(await tab.call('joinOnly', freshDatabase()));
    shouldFailWith(await tab.call('addNote', 'a'), 'WORKSPACE_NONE');
  });

  test('an unknown handler, a wrong type and an oversized payload are typed, and nothing changes', async () => {
    const tab = await joinTab(freshDatabase());
    const before = await tab.call('readStatus');
    shouldFailWith(await tab.call('mutateUnknown'), 'UNKNOWN_HANDLER');
    const wrong = await tab.call('addNote', 'a', 5 as unknown as string);
    shouldFailWith(wrong, 'INVALID_INPUT');
    expect(wrong).toMatchObject({ details: { path: 'text' } });
    shouldFailWith(await tab.call('addNote', 'a', 'x'.repeat(8 * 1024 * 1024)), 'PAYLOAD_TOO_LARGE');
    shouldFailWith(await tab.call('addNote', 'a', '\ud800'), 'INVALID_INPUT');
    shouldFailWith(await tab.call('fail'), 'HANDLER_FAILED');
    expect(await tab.call('listNotes')).toEqual([]);
    expect((await tab.call('readStatus')).localDataVersion).toBe(before.localDataVersion);
  });

  test('a call with a deadline ends then, though the writer is busy', async () => {
    const tab = await joinTab(freshDatabase());
    const startedMs = performance.now();
    shouldFailWith(await tab.call('spin', 3_000, 200), 'DEADLINE_EXCEEDED');
    expect(performance.now() - startedMs).toBeLessThan(2_500);
  });

  test('after close every call ends as CLIENT_CLOSED', async () => {
    const tab = await joinTab(freshDatabase());
    await tab.call('close');
    await tab.call('close');
    shouldFailWith(await tab.call('addNote', 'a'), 'CLIENT_CLOSED');
  });
});
