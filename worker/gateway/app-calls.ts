import { LIBRARY_CODES, STORE_CODES } from '../../src/domain/error-codes';
import type { Json } from '../../src/domain/json';
import type { Permit } from '../../src/domain/permit';
import { TidelockError } from '../../src/domain/tidelock-error';
import { MAX_MESSAGE_BYTES, MAX_QUERY_RESULT_BYTES } from '../../src/protocol/limits';
import type { CallInput } from '../../src/protocol/surface';
import type { AppDatabase, AppReader } from '../sqlite/app-database';
import type { Lent } from '../sqlite/app-databases';
import { readCoordinatorView } from '../stores/coordinator-view';
import type { CallContext, WriterContext } from './call-context';
import { mustGetHandler, runHandler } from './run-handler';

export function runQuery(
  context: CallContext,
  { handler, input, workspaceId: expected }: CallInput<'app.query'>,
): unknown {
  const { run } = mustGetHandler('query', context.definition.queries, handler);
  const { workspaceId } = readCoordinatorView(context.database);
  // A tab that opened one workspace is never shown another's rows.
  if (expected !== null && workspaceId !== null) assertSameWorkspace(expected, workspaceId);
  return runHandler(
    { name: `queries.${handler}`, allowRowValues: true, limitBytes: MAX_QUERY_RESULT_BYTES },
    (work) => context.app.read(work),
    (db: AppReader) => run(db, input, { workspaceId }),
  );
}

export function runMutation(
  context: CallContext,
  { handler, input, workspaceId }: CallInput<'app.mutate'>,
): unknown {
  const { run } = mustGetHandler('mutation', context.definition.mutations, handler);
  const view = mustHaveWorkspace(context, workspaceId);
  const { clock, newId } = context;
  const value = runHandler(
    { name: `mutations.${handler}`, allowRowValues: false, limitBytes: MAX_MESSAGE_BYTES },
    (work) => lendForWriting(context, work),
    (db: AppDatabase) => run(db, input, { workspaceId: view.workspaceId, now: clock(), newId }),
  );
  context.stores.coordinator.advanceLocalDataVersion({
    workspaceId: view.workspaceId,
    expectedCoordinatorGeneration: view.generation,
  });
  return value;
}

/** Lends the database to a handler that writes, and notes what it wrote. */
function lendForWriting<T>({ app, changes }: CallContext, work: (db: AppDatabase) => T): Lent<T> {
  const lent = app.write(work);
  changes.note(lent.writes);
  return lent;
}

export interface ApplyRun {
  readonly handler: string | null;
  readonly page: Json;
  readonly permits: readonly Permit[];
}

/** Runs an apply handler inside the transaction of its local commit and moves the data version. */
export function runApply(
  context: CallContext,
  { handler, page, permits }: ApplyRun,
): { readonly output: Json; readonly localDataVersion: number } {
  const [permit] = permits;
  if (permit === undefined) throw new RangeError('an apply needs a permit');
  const output = handler === null ? null : runApplyHandler(context, { handler, page, permits }, permit);
  const localDataVersion = context.stores.coordinator.advanceLocalDataVersion({
    workspaceId: permit.workspaceId,
    expectedCoordinatorGeneration: permit.coordinatorGeneration,
  });
  return { output, localDataVersion };
}

function runApplyHandler(
  context: CallContext,
  { handler, page, permits }: ApplyRun & { readonly handler: string },
  permit: Permit,
): Json {
  const { run } = mustGetHandler('apply', context.definition.apply, handler);
  const { clock, newId } = context;
  const value = runHandler(
    { name: `apply.${handler}`, allowRowValues: false, limitBytes: MAX_MESSAGE_BYTES },
    (work) => lendForWriting(context, work),
    (db: AppDatabase) =>
      run(db, page, {
        workspaceId: permit.workspaceId,
        now: clock(),
        newId,
        operationClass: permit.operationClass,
        operationIdentities: permits.flatMap(({ operationIdentity }) => operationIdentity ?? []),
      }),
  );
  return (value ?? null) as Json; // runHandler made sure of it
}

/** The active workspace, where it is the one the tab works for. @throws TidelockError WORKSPACE_NONE, INACTIVE_WORKSPACE */
export function mustHaveWorkspace(
  { database }: WriterContext,
  expected: string | null,
): { readonly workspaceId: string; readonly generation: number } {
  const { workspaceId, generation } = readCoordinatorView(database);
  if (workspaceId === null) {
    throw new TidelockError(
      LIBRARY_CODES.WORKSPACE_NONE,
      'No workspace is open. Call tide.workspaces.open first.',
    );
  }
  if (expected !== null) assertSameWorkspace(expected, workspaceId);
  return { workspaceId, generation };
}

function assertSameWorkspace(expected: string, actual: string): void {
  if (expected === actual) return;
  throw new TidelockError(STORE_CODES.INACTIVE_WORKSPACE, `Workspace "${expected}" is not the active one.`, {
    details: { expected, actual },
  });
}
