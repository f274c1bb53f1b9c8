import { onTestFinished } from 'vitest';
import { STORE_MIGRATIONS } from '../../../migrations/migrations.generated';
import type { CommandEnvelope } from '../../../src/domain/command';
import type { OwnerMode } from '../../../src/domain/coordinator-vocabulary';
import { STORE_CODES } from '../../../src/domain/error-codes';
import type { Fence, IssueInput, Permit } from '../../../src/domain/permit';
import { isTidelockError } from '../../../src/domain/tidelock-error';
import type { Database } from '../../../worker/database';
import { openMemory } from '../../../worker/sqlite/open-memory';
import { openStores, type Stores } from '../../../worker/stores';

export const START = '2026-03-01T00:00:00.000Z';
export const REQUESTED_BY = { userId: 'u-1', tenantId: 't-1' } as const;
const DAY_MS = 86_400_000;

/** A clock that stands still until it is told to move. */
export class TestClock {
  #ms = Date.parse(START);
  readonly read = (): string => new Date(this.#ms).toISOString();

  move(ms: number): void {
    this.#ms += ms;
  }

  moveDays(days: number): void {
    this.move(days * DAY_MS);
  }

  /** An instant `ms` from now. */
  in(ms: number): string {
    return new Date(this.#ms + ms).toISOString();
  }
}

export type TestDatabase = Database & { exec(sql: string): void };

/** A migrated database in memory, closed when the test ends. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const { database, close } = await openMemory();
  onTestFinished(close);
  for (const { sql } of STORE_MIGRATIONS) database.exec(sql);
  return database;
}

export interface StoreSetup extends Stores {
  readonly database: TestDatabase;
  readonly clock: TestClock;
  /** The stores of the next writer, over the same database. */
  reopen(): Stores;
  /** The inputs of a permit in the active workspace, with what a test cares about. */
  issueInput(input?: Partial<IssueInput>): IssueInput;
  /** A permit that has come as far as the answer. */
  answered(input: Partial<IssueInput>, disposition: 'accepted' | 'rejected' | 'unknown'): Permit;
  /** A permit whose request is out. */
  inFlight(input?: Partial<IssueInput>): Permit;
  /** A permit whose apply has begun. */
  inLocalCommit(input?: Partial<IssueInput>): Permit;
}

/** Fresh stores, workspace `w` active at generation 1 and owned by the browser's gateway. */
export async function setupStores(owner: OwnerMode = 'browser-gateway'): Promise<StoreSetup> {
  const database = await openTestDatabase();
  const clock = new TestClock();
  let ids = 0;
  const newId = (): string => `id-${++ids}`;
  const reopen = (): Stores => openStores({ database, clock: clock.read, newId });
  const stores = reopen();
  stores.coordinator.setLifecycleMode('browser-gateway', 'idle');
  switchTo(stores, { commandId: 'boot', from: null, to: 'w', generation: 0 });
  if (owner === 'server') stores.coordinator.setLifecycleMode('server', 'idle');

  const issueInput = (input: Partial<IssueInput> = {}): IssueInput => ({
    workspaceId: 'w',
    coordinatorGeneration: 1,
    serverInstanceId: 's-1',
    operationClass: 'pull',
    deadlineAt: clock.in(60_000),
    ...input,
  });
  const inFlight = (input: Partial<IssueInput> = {}): Permit => {
    const permit = stores.permits.issue(issueInput(input));
    return stores.permits.transition({
      ...toFence(permit),
      expectedState: 'issued-idle',
      nextState: 'gateway-in-flight',
    });
  };
  const answered: StoreSetup['answered'] = (input, upstreamDisposition) =>
    stores.permits.transition({
      ...toFence(inFlight(input)),
      expectedState: 'gateway-in-flight',
      nextState: 'gateway-complete-awaiting-apply',
      upstreamDisposition,
    });
  const inLocalCommit = (input: Partial<IssueInput> = {}): Permit =>
    stores.permits.enterLocalCommit(toFence(answered(input, 'accepted')));
  return { ...stores, database, clock, reopen, issueInput, inFlight, answered, inLocalCommit };
}

export function toFence(permit: Permit): Fence {
  const { permitId, workspaceId, coordinatorGeneration, serverInstanceId } = permit;
  return { permitId, workspaceId, coordinatorGeneration, serverInstanceId };
}

export interface SwitchPlan {
  readonly commandId: string;
  readonly from: string | null;
  readonly to: string;
  readonly generation: number;
}

/** Switches the active workspace, the way a host does. */
export function switchTo({ coordinator }: Stores, { commandId, from, to, generation }: SwitchPlan): void {
  coordinator.acceptCommand(
    envelope({
      commandId,
      workspaceId: from,
      expectedCoordinatorGeneration: generation,
      type: 'SwitchWorkspace',
    }),
    { requireWorkspaceSwitchSource: true, expectedActiveWorkspaceId: from },
  );
  coordinator.beginWorkspaceSwitch({
    commandId,
    expectedGeneration: generation,
    expectedActiveWorkspaceId: from,
    targetWorkspaceId: to,
    requestedBy: REQUESTED_BY,
  });
  coordinator.markCommandRunning(commandId);
  coordinator.completeWorkspaceSwitch({ commandId, targetWorkspaceId: to });
}

export function envelope(
  fields: Partial<CommandEnvelope> & Pick<CommandEnvelope, 'commandId'>,
): CommandEnvelope {
  return {
    workspaceId: 'w',
    expectedCoordinatorGeneration: 1,
    type: 'Sync',
    version: 1,
    args: null,
    canonicalFingerprint: `fp-${fields.commandId}`,
    requestedBy: REQUESTED_BY,
    requestedAt: START,
    ...fields,
  };
}

/** The code a call was refused with, without the stores' prefix; `none` where it was not refused. */
export function refusalOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (!isTidelockError(error)) throw error;
    const name = Object.entries(STORE_CODES).find(([, code]) => code === error.code)?.[0];
    return name ?? error.code;
  }
  return 'none';
}
