/**
 * Does a call cost more when there is a long history? The two that every operation begins with, accepting a command
 * and issuing a permit, and a slice of retention, over SQLite in memory with few and with many finished rows. Both
 * databases are open at once and take turns, so that a machine that slows down slows both.
 */
import { STORE_MIGRATIONS } from '../../../migrations/migrations.generated';
import { openMemory } from '../../../worker/sqlite/open-memory';
import { openStores, type Stores } from '../../../worker/stores';
import { quantile, round } from '../quantile';
import { countStatements, type CountingDatabase } from './count-statements';
import { fillHistory, type HistoryTable } from './fill-history';

const FEW_ROWS = 100;
const MANY_ROWS = 1_000_000;
/** Few, but enough that a slice of retention finds as much to delete as it may. */
const PRUNABLE_ROWS = 20_000;
/** After one that warms up. */
const ROUNDS = 7;
const PRUNED_SLICES = 20;
const CALLS_A_ROUND = 100;
const DAY_MS = 86_400_000;

interface Setup extends Stores {
  readonly counting: CountingDatabase;
  close(): void;
}

interface Trial {
  readonly name: string;
  readonly table: HistoryTable;
  /** The call that is measured, and what puts things back after it. */
  call(setup: Setup, id: string): void;
  tidy(setup: Setup, id: string): void;
}

const requestedBy = { userId: 'u', tenantId: 't' };
/** History ends here, wherever the clock has been moved to. */
const startMs = Date.now();
let nowMs = startMs;

const TRIALS: readonly Trial[] = [
  {
    name: 'accept a command',
    table: 'commands',
    call: ({ coordinator }, id) => coordinator.acceptCommand(toEnvelope(id, 'Sync', 'w', 1)),
    tidy: ({ coordinator }, id) => coordinator.finishCommand({ commandId: id, status: 'succeeded' }),
  },
  {
    name: 'issue a permit',
    table: 'permits',
    call: ({ permits }, id) =>
      permits.issue({ ...toFence(id), operationClass: 'pull', deadlineAt: toInstant(nowMs + 600_000) }),
    tidy: ({ permits }, id) => permits.release(toFence(id)),
  },
];

/** Prints a table; nothing here passes or fails. */
export async function runHistoryTrial(): Promise<void> {
  const rows: object[] = [];
  for (const trial of TRIALS) {
    const many = await openFilled(trial.table, MANY_ROWS);
    try {
      rows.push(await compare(trial.name, FEW_ROWS, many, trial, measureCalls));
      nowMs += 8 * DAY_MS;
      rows.push(
        await compare(`prune a slice of ${trial.table}`, PRUNABLE_ROWS, many, trial, measureRetention),
      );
      nowMs -= 8 * DAY_MS;
    } finally {
      many.close();
    }
  }
  console.log(
    `The stores in Node over SQLite in memory, with a history of few rows and of ${MANY_ROWS.toLocaleString('en')}: p50.`,
  );
  console.table(rows);
}

interface Measured {
  readonly times: Record<'few' | 'many', readonly number[]>;
  /** How many statements one call runs. */
  readonly statements: Record<'few' | 'many', number>;
}

async function compare(
  call: string,
  fewRows: number,
  many: Setup,
  trial: Trial,
  measure: (trial: Trial, few: Setup, many: Setup) => Measured,
): Promise<object> {
  const few = await openFilled(trial.table, fewRows);
  try {
    const { times, statements } = measure(trial, few, many);
    const [fewMs, manyMs] = [quantile(times.few, 0.5), quantile(times.many, 0.5)];
    return {
      call,
      few: fewRows,
      'few, ms': round(fewMs, 4),
      'many, ms': round(manyMs, 4),
      ratio: round(manyMs / fewMs, 2),
      'statements, few / many': `${statements.few} / ${statements.many}`,
    };
  } finally {
    few.close();
  }
}

function measureCalls(trial: Trial, few: Setup, many: Setup): Measured {
  const times: Record<'few' | 'many', number[]> = { few: [], many: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    const [fewMs, manyMs] = [runRound(trial, few, round), runRound(trial, many, round)];
    if (round === 0) continue;
    times.few.push(...fewMs);
    times.many.push(...manyMs);
  }
  const count = (setup: Setup): number => setup.counting.count(() => trial.call(setup, 'counted'));
  return { times, statements: { few: count(few), many: count(many) } };
}

function measureRetention({ table }: Trial, few: Setup, many: Setup): Measured {
  const prune = ({ coordinator, permits }: Setup): unknown =>
    table === 'commands' ? coordinator.pruneTerminalCommands() : permits.pruneTerminalHistory();
  const time = (setup: Setup): number[] =>
    Array.from({ length: PRUNED_SLICES }, () => {
      const startedMs = performance.now();
      prune(setup);
      return performance.now() - startedMs;
    });
  const times = { few: time(few), many: time(many) };
  const count = (setup: Setup): number => setup.counting.count(() => prune(setup));
  return { times, statements: { few: count(few), many: count(many) } };
}

function runRound(trial: Trial, setup: Setup, index: number): number[] {
  return Array.from({ length: CALLS_A_ROUND }, (_, i) => {
    const id = `new-${String(index)}-${String(i)}`;
    const startedMs = performance.now();
    trial.call(setup, id);
    const endedMs = performance.now();
    trial.tidy(setup, id);
    return endedMs - startedMs;
  });
}

async function openFilled(table: HistoryTable, rows: number): Promise<Setup> {
  const { database, close } = await openMemory();
  for (const { sql } of STORE_MIGRATIONS) database.exec(sql);
  fillHistory(database, table, rows, toInstant(startMs));
  const counting = countStatements(database);
  let ids = 0;
  const clock = (): string => toInstant(nowMs);
  const stores = openStores({ database: counting.database, clock, newId: () => `id-${String(++ids)}` });
  bootWorkspace(stores);
  return { ...stores, counting, close };
}

function bootWorkspace({ coordinator }: Stores): void {
  coordinator.setLifecycleMode('browser-gateway', 'idle');
  coordinator.acceptCommand(toEnvelope('boot', 'SwitchWorkspace', null, 0));
  const target = { commandId: 'boot', targetWorkspaceId: 'w' };
  coordinator.beginWorkspaceSwitch({
    ...target,
    expectedGeneration: 0,
    expectedActiveWorkspaceId: null,
    requestedBy,
  });
  coordinator.markCommandRunning('boot');
  coordinator.completeWorkspaceSwitch(target);
}

function toEnvelope(
  commandId: string,
  type: 'Sync' | 'SwitchWorkspace',
  workspaceId: string | null,
  expectedCoordinatorGeneration: number,
) {
  const requestedAt = toInstant(nowMs);
  const canonicalFingerprint = commandId;
  const args = { id: commandId };
  const fields = { commandId, workspaceId, expectedCoordinatorGeneration, type, args, canonicalFingerprint };
  return { ...fields, version: 1, requestedBy, requestedAt };
}

function toFence(permitId: string) {
  return { permitId, workspaceId: 'w', coordinatorGeneration: 1, serverInstanceId: 's' };
}

function toInstant(ms: number): string {
  return new Date(ms).toISOString();
}
