import { describe, expect, test } from 'vitest';
import { ChangeLog } from '../../worker/gateway/change-log';
import { setup } from './setup';

describe('the change log', () => {
  test('numbers the commits that changed a table, and only those', () => {
    const log = new ChangeLog();
    log.begin();
    expect(log.close()).toBeNull();
    log.begin();
    log.note(['tasks', 'logs']);
    log.note(['tasks']);
    expect(log.close()).toEqual({ commit: 1, tables: ['tasks', 'logs'] });
    expect(log.close()).toBeNull();
    expect(log.commit).toBe(1);
  });

  test('forgets what a batch noted that was undone', () => {
    const log = new ChangeLog();
    log.begin();
    log.note(['tasks']);
    log.begin();
    log.note(['logs']);
    expect(log.close()).toEqual({ commit: 1, tables: ['logs'] });
    expect(log.hasChangedSince(0, ['tasks'])).toBe(false);
  });

  test('knows whether a table was changed after a commit', () => {
    const log = new ChangeLog();
    for (const table of ['tasks', 'logs']) {
      log.begin();
      log.note([table]);
      log.close();
    }
    expect(log.hasChangedSince(1, ['tasks'])).toBe(false);
    expect(log.hasChangedSince(1, ['tasks', 'logs'])).toBe(true);
    expect(log.hasChangedSince(2, ['tasks', 'logs'])).toBe(false);
  });

  test('hears of what a mutation wrote, and of no more', async () => {
    const { context, ask, openWorkspace } = await setup();
    await openWorkspace();
    const before = context.changes.commit;
    await ask('app.query', { handler: 'notes', input: {}, workspaceId: null });
    expect(context.changes.commit).toBe(before);
    const note = { id: 'n-1', text: 'one' };
    await ask('app.mutate', { handler: 'addNote', input: note, workspaceId: null });
    expect(context.changes.commit).toBe(before + 1);
    expect(context.changes.hasChangedSince(before, ['notes'])).toBe(true);
    expect(context.changes.hasChangedSince(before, ['children'])).toBe(false);
  });
});
