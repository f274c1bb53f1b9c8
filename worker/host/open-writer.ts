import { LIBRARY_CODES } from '../../src/domain/error-codes';
import { TidelockError } from '../../src/domain/tidelock-error';
import { listHeldLocks } from '../../src/election/locks';
import type { SchemaVersions } from '../../src/protocol/build';
import type { StorageKind } from '../../src/protocol/discovery';
import { parseSessionLock } from '../../src/protocol/names';
import type { WorkerStage } from '../../src/protocol/worker-port';
import { STORE_MIGRATIONS } from '../../migrations/migrations.generated';
import type { AppDefinition } from '../app/app-definition';
import { AppliedPulls } from '../gateway/applied-pulls';
import type { WriterContext } from '../gateway/call-context';
import { ChangeLog } from '../gateway/change-log';
import { AppDatabases } from '../sqlite/app-databases';
import { checkMigrations, migrate, readSafeFrom, type MigrationSet } from '../sqlite/migrate';
import type { OpenedDatabase } from '../sqlite/opened-database';
import { openStores } from '../stores';
import { CallMarks } from '../stores/call-marks';
import { CallReceipts } from '../stores/call-receipts';
import { raiseWriterEpoch } from '../stores/writer-epoch';
import type { WorkerPlatform } from './worker-platform';

export interface OpenWriterOptions {
  readonly platform: WorkerPlatform;
  readonly db: string;
  readonly storage: StorageKind;
  readonly acceptLossOf: string | null;
  readonly definition: AppDefinition;
  readonly onStage: (stage: WorkerStage) => void;
}

/** What a writer stands on once it has opened. Owned by the caller, who closes `opened`. */
export interface OpenedWriter {
  readonly opened: OpenedDatabase;
  readonly context: WriterContext;
  readonly epoch: number;
  /** Tabs alive at the opening whose permits were taken over. */
  readonly adoptedSessionIds: readonly string[];
  readonly now: () => number;
  /** The oldest schema a build may know to be served. */
  readonly safeFrom: SchemaVersions;
}

/**
 * Everything between winning the lock and serving, in the one order that is safe: open, refuse what a newer build
 * wrote, raise the epoch, migrate, recover the coordinator, adopt the permits of living tabs, settle the others'.
 * Only under the writer lock. A throw leaves the database closed and its files free.
 */
export async function openWriter({
  platform,
  db,
  storage,
  acceptLossOf,
  definition,
  onStage,
}: OpenWriterOptions): Promise<OpenedWriter> {
  const opened = await platform.open({ storage, db, acceptLossOf, onStage });
  try {
    const now = definition.clock ?? (() => platform.now());
    const clock = (): string => new Date(now()).toISOString();
    onStage('migrating');
    const sets: readonly MigrationSet[] = [
      { scope: 'tidelock', migrations: STORE_MIGRATIONS },
      { scope: 'app', migrations: definition.migrations ?? [] },
    ];
    checkMigrations(opened.database, sets);
    const epoch = raiseWriterEpoch(opened.database, clock());
    migrate(opened.database, sets, { now: now() });
    onStage('recovering');
    const context = makeContext(opened, definition, { epoch, clock, newId: () => platform.randomUuid() });
    const livingSessionIds = (await listHeldLocks(platform.locks)).flatMap(
      (lock) => parseSessionLock(db, lock) ?? [],
    );
    recover(context, livingSessionIds);
    const safeFrom = readSafeFrom(opened.database);
    return { opened, context, epoch, adoptedSessionIds: livingSessionIds, now, safeFrom };
  } catch (error) {
    opened.close();
    throw error;
  }
}

function makeContext(
  { database }: OpenedDatabase,
  definition: AppDefinition,
  { epoch, clock, newId }: Pick<OpenedWriter, 'epoch'> & Pick<WriterContext, 'clock' | 'newId'>,
): WriterContext {
  return {
    database,
    stores: openStores({ database, clock, newId }),
    receipts: new CallReceipts({ database, clock }),
    marks: new CallMarks({ database, clock, epoch }),
    appliedPulls: new AppliedPulls(),
    changes: new ChangeLog(),
    app: new AppDatabases(database),
    definition,
    serverInstanceId: `${epoch}.${newId()}`,
    clock,
    newId,
  };
}

function recover({ database, stores, serverInstanceId }: WriterContext, holderIds: readonly string[]): void {
  database.transaction(() => {
    stores.coordinator.readOrCreateState();
    stores.coordinator.recoverAfterRestart({ neverStarted: 'keep' });
    stores.permits.adoptPermits({ currentServerInstanceId: serverInstanceId, holderIds });
  });
  // A transaction of its own: it tells which workspaces are blocked even where there is nothing to write.
  stores.permits.recoverPriorServerPermits({ currentServerInstanceId: serverInstanceId });
}

/** Whether another worker may succeed where this one failed to open. */
export function isWorthAFreshWorker(error: unknown): boolean {
  return (
    error instanceof TidelockError &&
    error.details['retryInFreshWorker'] === true &&
    error.code !== LIBRARY_CODES.STORAGE_BLOCKED
  );
}
