import { z } from 'zod';
import { STORE_MIGRATIONS } from '../../migrations/migrations.generated';
import type { CallReply } from '../../src/protocol/call';
import type { CallInput, CallName, CallOutput } from '../../src/protocol/surface';
import type { AppDefinition } from '../../worker/app/app-definition';
import { apply, mutation, query } from '../../worker/app/handlers';
import type { WriterContext } from '../../worker/gateway/call-context';
import { SessionPort } from '../../worker/gateway/session-port';
import { Scheduler } from '../../worker/scheduler/scheduler';
import { AppliedPulls } from '../../worker/gateway/applied-pulls';
import { CallRunner } from '../../worker/gateway/call-runner';
import { ChangeLog } from '../../worker/gateway/change-log';
import { AppDatabases } from '../../worker/sqlite/app-databases';
import { migrate } from '../../worker/sqlite/migrate';
import { openMemory } from '../../worker/sqlite/open-memory';
import { openStores } from '../../worker/stores';
import { CallMarks } from '../../worker/stores/call-marks';
import { CallReceipts } from '../../worker/stores/call-receipts';
import { assertWriterEpoch, raiseWriterEpoch } from '../../worker/stores/writer-epoch';

export const PRINCIPAL = { userId: 'u-1', tenantId: 't-1' };
export const DEADLINE = '2030-01-01T00:00:00.000Z';

const NOTES = `
  CREATE TABLE notes (id TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT;
  CREATE TABLE parents (id INTEGER PRIMARY KEY) STRICT;
  CREATE TABLE children (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED) STRICT;`;

const note = z.object({ id: z.string(), text: z.string() });

/** How often each handler ran, over all tests' runs of one setup. */
export interface Runs {
  addNote: number;
}

function makeDefinition(runs: Runs): AppDefinition {
  return {
    name: 'notes',
    migrations: [{ id: 1, name: 'notes', sql: NOTES }],
    queries: {
      notes: query(z.object({}), (db) => db.all('SELECT id, text FROM notes ORDER BY id')),
      /** About so many bytes, in one cell of a row. */
      large: query(z.object({ sizeBytes: z.number() }), (db, { sizeBytes }) =>
        db.all('SELECT zeroblob(?) AS bytes', [sizeBytes]),
      ),
      writing: query(z.object({}), (db) => db.all("INSERT INTO notes VALUES ('q', 'q') RETURNING id")),
    },
    mutations: {
      addNote: mutation(note, (db, { id, text }) => {
        runs.addNote += 1;
        db.run('INSERT INTO notes VALUES (?, ?)', [id, text]);
        return { id, run: runs.addNote };
      }),
      addThenThrow: mutation(note, (db, { id, text }) => {
        db.run('INSERT INTO notes VALUES (?, ?)', [id, text]);
        throw new RangeError('after writing');
      }),
      orphan: mutation(z.object({}), (db) => void db.run('INSERT INTO children (parent) VALUES (404)')),
      rollback: mutation(
        note,
        (db, { id, text }) => void db.run('INSERT OR ROLLBACK INTO notes VALUES (?, ?)', [id, text]),
      ),
      addLarge: mutation(z.object({ sizeBytes: z.number() }), (db, { sizeBytes }) => {
        db.run('INSERT INTO notes VALUES (?, ?)', ['large', 'text']);
        return 'x'.repeat(sizeBytes);
      }),
      commit: mutation(z.object({}), (db) => void db.run('COMMIT')),
      later: mutation(z.object({}), async () => Promise.resolve(1)),
      unsendable: mutation(z.object({}), () => ({ at: new Date(0) })),
      touchStore: mutation(z.object({}), (db) => void db.run('DELETE FROM local_sync_execution_permits')),
    },
    apply: {
      notes: apply(z.array(note), (db, page) => {
        for (const { id, text } of page) db.run('INSERT OR REPLACE INTO notes VALUES (?, ?)', [id, text]);
        return { applied: page.length };
      }),
      broken: apply(z.unknown(), () => {
        throw new RangeError('cannot apply');
      }),
    },
  };
}

/** A writer over a database in memory, without channels: calls go straight to a session's port. */
export async function setup() {
  const runs: Runs = { addNote: 0 };
  const definition = makeDefinition(runs);
  const { database, close } = await openMemory();
  const time = { nowMs: Date.parse('2026-03-01T00:00:00.000Z') };
  const clock = (): string => new Date(time.nowMs).toISOString();
  const epoch = raiseWriterEpoch(database, clock());
  migrate(
    database,
    [
      { scope: 'tidelock', migrations: STORE_MIGRATIONS },
      { scope: 'app', migrations: definition.migrations ?? [] },
    ],
    { now: time.nowMs },
  );
  let ids = 0;
  const newId = (): string => `id-${String(++ids)}`;
  const context: WriterContext = {
    database,
    stores: openStores({ database, clock, newId }),
    receipts: new CallReceipts({ database, clock }),
    marks: new CallMarks({ database, clock, epoch }),
    appliedPulls: new AppliedPulls(),
    changes: new ChangeLog(),
    app: new AppDatabases(database),
    definition,
    serverInstanceId: `${String(epoch)}.test`,
    clock,
    newId,
  };
  const commits = { count: 0 };
  const scheduler = new Scheduler({
    database,
    now: () => time.nowMs,
    monotonicMs: () => performance.now(),
    yieldTurn: () => new Promise((resolve) => setImmediate(resolve)),
    beginBatch: () => {
      assertWriterEpoch(database, epoch);
      context.changes.begin();
    },
    afterCommit: () => {
      commits.count += 1;
      context.changes.close();
    },
  });
  const handOvers = { count: 0 };
  const runner = new CallRunner({ scheduler, marks: context.marks });
  const ports = new Map<string, SessionPort>();
  const portOf = (sessionId: string): SessionPort => {
    const port =
      ports.get(sessionId) ??
      new SessionPort(context, { sessionId, runner, handOver: () => (handOvers.count += 1) });
    ports.set(sessionId, port);
    return port;
  };

  let calls = 0;
  /** One message of one tab; each call as `[name, input]`. */
  const send = async (
    list: readonly (readonly [call: string, input: unknown])[],
    { sessionId = 'tab-1', attempt = 1, deaths = 0, callIds = [] as readonly string[] } = {},
  ): Promise<CallReply[]> =>
    portOf(sessionId).invoke(
      list.map(([call, input], index) => ({
        callId: callIds[index] ?? `call-${String(++calls)}`,
        call,
        input,
        deadlineAt: time.nowMs + 30_000,
        attempt,
        deaths,
        diedEpoch: deaths === 0 ? null : epoch,
      })),
    );
  /** One call that must succeed. */
  const ask = async <C extends CallName>(
    call: C,
    input: CallInput<C>,
    sessionId = 'tab-1',
  ): Promise<CallOutput<C>> => {
    const [reply] = await send([[call, input]], { sessionId });
    if (reply?.ok === true) return reply.value; // the answer of that very call
    throw new Error(`${call} failed: ${JSON.stringify(reply)}`);
  };
  /** The code, and the details, of one call that must fail. */
  const fail = async (call: string, input: unknown, sessionId = 'tab-1') => {
    const [reply] = await send([[call, input]], { sessionId });
    if (reply === undefined || reply.ok) throw new Error(`${call} succeeded`);
    return reply.error;
  };
  /** Every row of every table, to see that nothing changed. */
  const dump = (): string => {
    const tables = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .all();
    return JSON.stringify(
      tables.map(({ name }) => [name, database.prepare(`SELECT * FROM "${String(name)}"`).all()]),
    );
  };
  const openWorkspace = () => ask('workspaces.open', { workspaceId: 'w-1', principal: PRINCIPAL });
  const notes = () => database.prepare('SELECT id, text FROM notes ORDER BY id').all();
  return {
    context,
    database,
    time,
    runs,
    commits,
    portOf,
    send,
    ask,
    fail,
    dump,
    openWorkspace,
    handOvers,
    notes,
    close,
    scheduler,
  };
}
