import { toCanonicalJson } from '../../../src/domain/canonical-json';
import type { CommandRecord } from '../../../src/domain/command';
import type { CoordinatorState } from '../../../src/domain/coordinator-state';
import type { STORE_CODES } from '../../../src/domain/error-codes';
import type { Json } from '../../../src/domain/json';
import type { Permit } from '../../../src/domain/permit';
import type { Obligation } from '../../../src/domain/recovery-obligation';

/**
 * A second, naive telling of what the stores do: plain arrays, no SQL, no indexes, none of the stores' own decisions.
 * Whatever the two disagree on is a mistake in one of them.
 */

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
export type ModelState = Mutable<CoordinatorState>;
export type ModelPermit = Mutable<Permit>;
export type ModelObligation = Mutable<Obligation>;
export type ModelCommand = Mutable<CommandRecord> & { claimToken: string | null };

export interface ModelCheckpoint {
  workspaceId: string;
  runnerId: string;
  coordinatorGeneration: number;
  checkpointRevision: number;
}

/** What is in the database. Commands and obligations stand in the order they came. */
export interface Rows {
  state: ModelState | null;
  commands: ModelCommand[];
  checkpoints: ModelCheckpoint[];
  permits: ModelPermit[];
  obligations: ModelObligation[];
  cursors: Record<string, Json>;
}

/** A refusal, by its code without the prefix. */
export class Refused extends Error {
  readonly code: keyof typeof STORE_CODES;
  constructor(code: keyof typeof STORE_CODES) {
    super(code);
    this.code = code;
  }
}

export class World {
  rows: Rows = { state: null, commands: [], checkpoints: [], permits: [], obligations: [], cursors: {} };
  now: string;
  /** Permits in local commit that this writer found; gone with it. */
  blocking = new Set<string>();
  readonly newId: () => string;

  constructor(now: string, newId: () => string) {
    this.now = now;
    this.newId = newId;
  }

  /** All or nothing. */
  run<T>(work: () => T): T {
    const before = structuredClone(this.rows);
    try {
      return work();
    } catch (error) {
      this.rows = before;
      throw error;
    }
  }

  restart(): void {
    this.blocking = new Set();
  }

  isBlocked(workspaceId: string): boolean {
    return this.rows.permits.some(
      (permit) =>
        permit.workspaceId === workspaceId &&
        permit.state === 'local-commit-entered' &&
        this.blocking.has(permit.permitId),
    );
  }

  /** Active permits, oldest first. */
  active(): ModelPermit[] {
    return this.rows.permits.filter(isActive).toSorted(byIssue);
  }

  open(workspaceId: string): ModelObligation[] {
    return this.rows.obligations
      .filter((obligation) => obligation.workspaceId === workspaceId && obligation.resolvedAt === null)
      .toSorted((a, b) => compare(a.createdAt, b.createdAt));
  }

  permitOf(obligation: ModelObligation): ModelPermit {
    const permit = this.rows.permits.find(({ permitId }) => permitId === obligation.permitId);
    if (permit === undefined) throw new Error(`obligation ${obligation.obligationId} without its permit`);
    return permit;
  }
}

export function isActive(permit: ModelPermit): boolean {
  return permit.completedAt === null;
}

export function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

export function refuseIf(isRefused: boolean, code: Refused['code']): void {
  if (isRefused) throw new Refused(code);
}

export function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return toCanonicalJson(a ?? null) === toCanonicalJson(b ?? null);
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function byIssue(a: ModelPermit, b: ModelPermit): number {
  return compare(a.issuedAt, b.issuedAt) || compare(a.permitId, b.permitId);
}
