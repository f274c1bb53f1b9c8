import { expect } from 'vitest';
import type { Outcome } from '../pages/settle';
import { openTab, type Tab } from '../support/open-tab';

export type NotesTab = Tab<typeof import('../pages/notes')>;

/** A database nobody used before. */
export function freshDatabase(): string {
  return `t-${crypto.randomUUID()}`;
}

export async function openNotesTab(): Promise<NotesTab> {
  return openTab<typeof import('../pages/notes')>({ module: '/bundled/notes.js' });
}

/** A tab that has joined the database and opened its workspace. */
export async function joinTab(db: string): Promise<NotesTab> {
  const tab = await openNotesTab();
  mustBeOk(await tab.call('join', db));
  return tab;
}

export function mustBeOk<T>(outcome: Outcome<T> | undefined): T {
  if (outcome?.ok === true) return outcome.value;
  throw new Error(`wanted ok, was ${JSON.stringify(outcome)}`);
}

export function shouldFailWith(outcome: Outcome<unknown> | undefined, code: string): void {
  expect(outcome).toMatchObject({ ok: false, code });
}
