import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Journal } from '../../demo/server/journal';
import { startSyncServer } from '../../demo/server/server';
import {
  accepted,
  addTask,
  counted,
  createJournalPath,
  deleteTask,
  rejected,
  setDone,
  setup,
  task,
} from './setup';

test('a restart keeps tasks, cursors, answers and counts', async () => {
  const first = await setup();
  await first.push(addTask('o-1', 'a'), addTask('o-2', 'b'), setDone('o-3', 'none'));
  await first.push(setDone('o-4', 'a'), deleteTask('o-5', 'b'));
  await first.push(addTask('o-1', 'a'));
  await first.push(addTask('o-1', 'other'));
  const before = { pull: await first.pull(), effects: await first.effects() };
  await first.server.close();

  const second = await setup({ journalPath: first.journalPath });
  expect({ pull: await second.pull(), effects: await second.effects() }).toEqual(before);
  expect(before.effects).toMatchObject({ operations: [counted('o-1', 3, 1), {}, {}, {}, {}] });
  expect(await second.push(addTask('o-1', 'a'))).toEqual(accepted('o-1'));
  expect(await second.push(setDone('o-3', 'none'))).toEqual(rejected('o-3', 'task-not-found'));
  expect(await second.push(addTask('o-2', 'c'))).toEqual(rejected('o-2', 'identity-reused'));
  await second.push(addTask('o-6', 'd'));
  expect(await second.pull()).toMatchObject({ nextCursor: { seq: 5 } });
});

test('doubles made without dedupe survive a restart with it', async () => {
  const first = await setup({ dedupe: false });
  const longId = 'x'.repeat(200);
  await first.push(addTask('o-1', longId));
  await first.push(addTask('o-1', longId));
  const before = { pull: await first.pull(), effects: await first.effects() };
  await first.server.close();
  const second = await setup({ journalPath: first.journalPath });
  expect({ pull: await second.pull(), effects: await second.effects() }).toEqual(before);
});

test('a push is on the disk before it is answered', async () => {
  const { push, journalPath } = await setup();
  await push(addTask('o-1', 'a'));
  expect(readFileSync(journalPath, 'utf8')).toMatch(/^\{.*"identity":"o-1".*\}\n$/);
});

test('a push that is refused as bad input leaves no line', async () => {
  const { post, journalPath } = await setup();
  await post('/sync/push', { workspace: 'w', operations: [addTask('o-1', 'a'), { identity: 'o-2' }] });
  expect(readFileSync(journalPath, 'utf8')).toBe('');
});

test('a torn last line is dropped and the journal goes on after what was whole', async () => {
  const first = await setup();
  await first.push(addTask('o-1', 'a'));
  const wholeBytes = readFileSync(first.journalPath).length;
  await first.push(addTask('o-2', 'b'));
  await first.server.close();
  const tornBytes = readFileSync(first.journalPath).length;

  for (const lengthBytes of [wholeBytes + 1, tornBytes - 1]) {
    truncateSync(first.journalPath, lengthBytes);
    const again = await setup({ journalPath: first.journalPath });
    expect(readFileSync(first.journalPath).length).toBe(wholeBytes);
    expect(await again.effects()).toEqual({ operations: [counted('o-1', 1, 1)] });
    expect(await again.push(addTask('o-2', 'b'))).toEqual(accepted('o-2'));
    await again.server.close();
  }
  const last = await setup({ journalPath: first.journalPath });
  expect(await last.pull()).toMatchObject({ changes: [task(1, 'a'), task(2, 'b')] });
});

test('a torn first line leaves an empty journal', async () => {
  const journalPath = createJournalPath();
  await (await setup({ journalPath })).server.close();
  writeFileSync(journalPath, '{"form');
  const { pull } = await setup({ journalPath });
  expect(await pull()).toEqual({ changes: [], nextCursor: { seq: 0 }, more: false });
});

test.each([
  ['no JSON', '{"format":1,\n', /line 2 is no JSON/],
  [
    'another format',
    '{"format":2,"workspace":"w","operations":[],"tasks":[]}\n',
    /line 2 is no record.*format/,
  ],
  ['a wrong row', '{"format":1,"workspace":"w","operations":[{}],"tasks":[]}\n', /line 2.*operations\[0\]/],
])('a whole line of %s is damage, and the server does not start', async (_, line, message) => {
  const { push, server, journalPath } = await setup();
  await push(addTask('o-1', 'a'));
  await server.close();
  appendFileSync(journalPath, line);
  await expect(startSyncServer({ journalPath })).rejects.toThrow(message);
});

test('a push that the journal cannot take is answered 500 and has no effect until a restart', async () => {
  const { push, post, pull, effects, server, journalPath } = await setup();
  await push(addTask('o-1', 'a'));
  const whole = readFileSync(journalPath);
  appendFileSync(journalPath, '{"another":"writer"}\n');
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const { status, body } = await post('/sync/push', { workspace: 'w', operations: [addTask('o-2', 'b')] });
    expect(status).toBe(500);
    expect(body).toMatchObject({ error: { code: 'JOURNAL_FAILED' } });
  }
  expect(await pull()).toMatchObject({ changes: [task(1, 'a')] });
  expect(await effects()).toEqual({ operations: [counted('o-1', 1, 1)] });
  await server.close();

  writeFileSync(journalPath, whole);
  const again = await setup({ journalPath });
  expect(await again.push(addTask('o-2', 'b'))).toEqual(accepted('o-2'));
});

test('a closed journal takes no record and may be closed again', () => {
  const { journal } = Journal.open(createJournalPath());
  journal.close();
  journal.close();
  expect(() => journal.append({})).toThrow(/closed/);
});
