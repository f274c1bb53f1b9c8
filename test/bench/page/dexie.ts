import { Dexie, type Table } from 'dexie';
import type { Contender } from './contender';

interface PermitRow {
  readonly permitId: string;
  readonly workspaceId: string;
  readonly state: string;
  readonly issuedAt: string;
  readonly deadlineAt: string;
}

/** The same on Dexie with strict durability: get and add in one read-write transaction on a table with two indexes. */
export async function openDexie(name: string): Promise<Contender> {
  const db = new Dexie(name, { chromeTransactionDurability: 'strict' });
  db.version(1).stores({ permits: 'permitId, [workspaceId+state], deadlineAt' });
  await db.open();
  const permits: Table<PermitRow, string> = db.table('permits');
  const deadlineAt = new Date(Date.now() + 3_600_000).toISOString();
  return {
    call: (permitId) =>
      db.transaction('rw', permits, async () => {
        if ((await permits.get(permitId)) !== undefined) return;
        await permits.add({
          permitId,
          workspaceId: 'w-bench',
          state: 'issued-idle',
          issuedAt: new Date().toISOString(),
          deadlineAt,
        });
      }),
    close: () => db.close(),
  };
}
