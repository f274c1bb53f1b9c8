import { STORE_MIGRATIONS } from '../../migrations/migrations.generated';
import type { Database } from '../../worker/database';
import { openStores, type Stores } from '../../worker/stores';
import { findDifference } from './find-difference';
import {
  TABLES,
  type Callback,
  type Expectation,
  type Repetition,
  type RunnerStateInput,
  type Step,
  type Trace,
} from './trace';

/**
 * Runs recorded traces against the stores. Knows no platform: the caller opens a database, in Node or in a worker.
 */

/** An empty database, and how to get rid of it. */
export interface TraceDatabase {
  readonly database: Database & { exec(sql: string): void };
  close(): void;
}

/** The first difference between a trace and what the stores do, as a sentence; undefined where there is none. */
export function runTrace(trace: Trace, { database, close }: TraceDatabase): string | undefined {
  try {
    for (const { sql } of STORE_MIGRATIONS) database.exec(sql);
    const run = new TraceRun(database, trace.steps[0]?.now ?? '2000-01-01T00:00:00.000Z');
    for (const [index, step] of trace.steps.entries()) {
      run.now = step.now ?? run.now;
      const difference = run.take(step);
      if (difference !== undefined) return `step ${index} (${step.op}): ${difference}`;
    }
    return trace.final === null ? undefined : findFinalDifference(database, trace.final);
  } finally {
    close();
  }
}

/** Thrown by a callback that was told to fail. */
class CallbackError extends Error {
  readonly code = 'CALLBACK_FAILED';
}

const PUT_RUNNER_STATE = `INSERT OR REPLACE INTO local_workspace_sync_runner_state
  (workspace_id, runner_id, coordinator_generation, checkpoint_revision, updated_at) VALUES (?, ?, ?, 0, ?)`;
const HOUR_MS = 3_600_000;

class TraceRun {
  now: string;
  readonly #database: Database;
  #stores: Stores;
  #ids = 0;
  /** What a callback's step found amiss; wins over what its method made of that. */
  #insideDifference: string | undefined;

  constructor(database: Database, now: string) {
    this.#database = database;
    this.now = now;
    this.#stores = this.#openStores();
  }

  take(step: Step): string | undefined {
    const outcome = this.#attempt(step);
    const difference = this.#insideDifference ?? compare(step.expect ?? { result: null }, outcome);
    this.#insideDifference = undefined;
    return difference;
  }

  #openStores(): Stores {
    return openStores({
      database: this.#database,
      clock: () => this.now,
      newId: () => `id-${++this.#ids}`,
    });
  }

  #attempt(step: Step): Outcome {
    try {
      return { result: this.#call(step) };
    } catch (error) {
      return { error };
    }
  }

  #call(step: Step): unknown {
    const [target = '', method = ''] = step.op.split('.');
    if (target === 'world') return this.#changeWorld(method, step.input);
    const store = target === 'coordinator' ? this.#stores.coordinator : this.#stores.permits;
    const call: unknown = Reflect.get(store, method);
    if (typeof call !== 'function') throw new TypeError(`the stores have no ${step.op}`);
    const args = (step.args ?? []).map((arg) => arg ?? undefined);
    if (step.callback === undefined) return Reflect.apply(call, store, args);
    return this.#callWithCallback(step.op, args, step.callback, () => Reflect.apply(call, store, args));
  }

  #callWithCallback(op: string, args: unknown[], callback: Callback, call: () => unknown): unknown {
    let wasCalled = false;
    const run = (): unknown => {
      wasCalled = true;
      return this.#runCallback(callback);
    };
    if (op === 'coordinator.completeWorkspaceSwitch') {
      args[0] = { ...(args[0] as object), activateTargetForCommit: run };
    } else {
      args.push(run);
    }
    try {
      return call();
    } finally {
      const isWanted = callback.steps?.some((step) => step.unreached !== true) === true;
      if (isWanted && !wasCalled) this.#insideDifference ??= 'the callback was not called';
    }
  }

  #runCallback(callback: Callback): unknown {
    for (const [index, step] of (callback.steps ?? []).entries()) {
      const where = `callback step ${index} (${step.op})`;
      if (step.unreached === true) this.#insideDifference ??= `${where} was reached`;
      const outcome = this.#attempt(step);
      const difference = compare(step.expect ?? { result: null }, outcome);
      if (difference !== undefined) this.#insideDifference ??= `${where}: ${difference}`;
      if ('error' in outcome && step.swallow !== true) throw outcome.error;
    }
    if (callback.throws === true) throw new CallbackError('the callback was told to fail');
    return callback.promise === true ? Promise.resolve() : callback.value;
  }

  #changeWorld(method: string, input: unknown): null {
    switch (method) {
      case 'restart':
        this.#stores = this.#openStores();
        return null;
      case 'putRunnerState': {
        const { workspaceId, runnerId, coordinatorGeneration } = input as RunnerStateInput;
        this.#database
          .prepare(PUT_RUNNER_STATE)
          .run([workspaceId, runnerId, coordinatorGeneration, this.now]);
        return null;
      }
      case 'repeat':
        this.#repeat(input as Repetition);
        return null;
      default:
        throw new TypeError(`the world has no ${method}`);
    }
  }

  #repeat({ times, stepMs, steps }: Repetition): void {
    const template = JSON.stringify(steps);
    for (let i = 0; i < times; i++) {
      const ms = Date.parse(this.now) + stepMs;
      this.now = new Date(ms).toISOString();
      const text = template
        .replaceAll('${i}', String(i).padStart(4, '0'))
        .replaceAll('${now}', this.now)
        .replaceAll('${deadline}', new Date(ms + HOUR_MS).toISOString());
      for (const step of JSON.parse(text) as readonly Step[]) this.#call(step);
    }
  }
}

type Outcome = { readonly result: unknown } | { readonly error: unknown };

function compare(expected: Expectation, outcome: Outcome): string | undefined {
  if ('error' in expected) {
    const code = 'error' in outcome ? readCode(outcome.error) : null;
    if (code === expected.error.code) return undefined;
    return `expected ${expected.error.code}, found ${describe(outcome)}`;
  }
  if ('error' in outcome) return `expected a result, found ${describe(outcome)}`;
  return findDifference(expected.result, toJson(outcome.result));
}

function findFinalDifference(database: Database, final: NonNullable<Trace['final']>): string | undefined {
  for (const [table, [first, second]] of Object.entries(TABLES)) {
    const expected = final[table];
    if (expected === undefined || expected === null) continue;
    const rows = database
      .prepare(`SELECT * FROM ${table} ORDER BY ${first}, ${second}`)
      .all()
      .map(parseJsonColumns);
    const difference = findDifference(expected, rows, table);
    if (difference !== undefined) return `final rows: ${difference}`;
  }
  return undefined;
}

function parseJsonColumns(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      column.endsWith('_json') && typeof value === 'string' ? (JSON.parse(value) as unknown) : value,
    ]),
  );
}

function toJson(value: unknown): unknown {
  return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as unknown);
}

function describe(outcome: Outcome): string {
  if (!('error' in outcome)) return JSON.stringify(outcome.result ?? null);
  const { error } = outcome;
  return readCode(error) ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
}

function readCode(error: unknown): string | null {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null;
}
