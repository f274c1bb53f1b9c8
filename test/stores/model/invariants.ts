import type { ModelCommand, ModelObligation, ModelPermit, Rows } from './world';
import { isSame } from './world';

/**
 * What holds after every step, whatever was called, refused, killed or set back. Each rule has an id, which tests and
 * their failures name. A rule sees the rows before the step and after it, and says what is wrong, or nothing.
 */
export interface Invariant {
  readonly id: string;
  readonly rule: string;
  readonly check: (before: Rows, after: Rows) => string | undefined;
}

const MUTATIONS = ['push', 'v3-dispatch'];
const COALESCING = [
  'WORKSPACE_SYNC_V3_APPLY_NOT_COMMITTED',
  'WORKSPACE_SYNC_V3_ATTACHMENT_HYDRATION_NOT_COMMITTED',
];

export const INVARIANTS: readonly Invariant[] = [
  {
    id: 'C1',
    rule: 'the generation and the data version never fall',
    check: ({ state: before }, { state: after }) => {
      if (before === null || after === null) return undefined;
      const fell =
        after.coordinatorGeneration < before.coordinatorGeneration ||
        after.localDataVersion < before.localDataVersion;
      return fell ? `${before.coordinatorGeneration} → ${after.coordinatorGeneration}` : undefined;
    },
  },
  {
    id: 'C2',
    rule: 'the active workspace changes only with the generation',
    check: ({ state: before }, { state: after }) => {
      if (before === null || after === null) return undefined;
      // The generation was raised when the switch began; the workspace follows when it completes.
      const isChanged = before.activeWorkspaceId !== after.activeWorkspaceId;
      const isRaised = after.coordinatorGeneration > before.coordinatorGeneration;
      return isChanged && !isRaised && before.transitionState !== 'switching-workspace'
        ? 'it changed in steady state'
        : undefined;
    },
  },
  {
    id: 'C3',
    rule: 'a finished command never changes',
    check: (before, after) =>
      firstChanged(
        before.commands.filter((command) => command.completedAt !== null),
        after.commands,
        (command: ModelCommand) => command.commandId,
      ),
  },
  {
    id: 'C4',
    rule: 'no command comes in as accepted beside an equal one that waits already',
    check: (before, after) =>
      after.commands
        .filter((command) => !before.commands.some((other) => other.commandId === command.commandId))
        .filter((command) => command.status === 'accepted')
        .find((command) =>
          before.commands.some(
            (other) =>
              other.status === 'accepted' &&
              classOf(other.type) !== undefined &&
              classOf(other.type) === classOf(command.type) &&
              other.workspaceId === command.workspaceId &&
              other.expectedCoordinatorGeneration === command.expectedCoordinatorGeneration &&
              isSame(other.args, command.args),
          ),
        )?.commandId,
  },
  {
    id: 'C5',
    rule: 'a running command has started, and a finished one has ended',
    check: (_before, { commands }) =>
      commands.find(
        (command) =>
          (command.status === 'running' && command.startedAt === null) ||
          (command.completedAt !== null) === ['accepted', 'running'].includes(command.status),
      )?.commandId,
  },
  {
    id: 'P1',
    rule: 'an ended permit never changes',
    check: (before, after) =>
      firstChanged(
        before.permits.filter((permit) => permit.completedAt !== null),
        after.permits,
        (permit: ModelPermit) => permit.permitId,
      ),
  },
  {
    id: 'P2',
    rule: 'no permit disappears while it may still be asked for',
    check: (before, after) =>
      before.permits.find(({ permitId }) => !after.permits.some((permit) => permit.permitId === permitId))
        ?.permitId,
  },
  {
    id: 'P3',
    rule: 'an operation identity is set once, and before a mutation goes out',
    check: (before, after) =>
      after.permits.find((permit) => {
        const was = before.permits.find(({ permitId }) => permitId === permit.permitId);
        const rebound = was !== undefined && was.operationIdentity !== null;
        const nameless = MUTATIONS.includes(permit.operationClass) && permit.operationIdentity === null;
        return (
          (rebound && was.operationIdentity !== permit.operationIdentity) ||
          (nameless && permit.upstreamDisposition !== 'not-started')
        );
      })?.permitId,
  },
  {
    id: 'P4',
    rule: 'nothing is entered or started under a generation or workspace that is not current',
    check: (before, after) => {
      const { state } = before;
      return after.permits.find((permit) => {
        const was = before.permits.find(({ permitId }) => permitId === permit.permitId);
        const began =
          was?.state !== permit.state &&
          (permit.state === 'gateway-in-flight' || permit.state === 'local-commit-entered');
        const isCurrent =
          state?.coordinatorGeneration === permit.coordinatorGeneration &&
          state.activeWorkspaceId === permit.workspaceId;
        return began && !isCurrent;
      })?.permitId;
    },
  },
  {
    id: 'O1',
    rule: 'every permit abandoned with its fate open has an obligation, or an equal one stands for it',
    check: (_before, { permits, obligations }) =>
      permits
        .filter((permit) => permit.state === 'abandoned-reconcile-required')
        .find(
          (permit) =>
            !obligations.some(
              (obligation) =>
                obligation.permitId === permit.permitId || standsFor(obligation, permit, permits),
            ),
        )?.permitId,
  },
  {
    id: 'O2',
    rule: 'no permit has two obligations, and none has one that ended otherwise',
    check: (_before, { permits, obligations }) =>
      obligations.find(
        ({ permitId }) =>
          obligations.filter((other) => other.permitId === permitId).length > 1 ||
          permits.find((permit) => permit.permitId === permitId)?.state !== 'abandoned-reconcile-required',
      )?.obligationId,
  },
  {
    id: 'O3',
    rule: 'an obligation is resolved once, with evidence, and then never changes',
    check: (before, after) =>
      firstChanged(
        before.obligations.filter((obligation) => obligation.resolvedAt !== null),
        after.obligations,
        (obligation: ModelObligation) => obligation.obligationId,
      ),
  },
  {
    id: 'O4',
    rule: 'no obligation disappears while it is open',
    check: (before, after) =>
      before.obligations.find(
        ({ obligationId }) => !after.obligations.some((other) => other.obligationId === obligationId),
      )?.obligationId,
  },
];

/** The first rule that a step broke, by id, or undefined. */
export function findBroken(before: Rows, after: Rows): string | undefined {
  for (const { id, rule, check } of INVARIANTS) {
    const found = check(before, after);
    if (found !== undefined) return `${id} (${rule}): ${found}`;
  }
  return undefined;
}

function firstChanged<T>(
  finished: readonly T[],
  after: readonly T[],
  idOf: (row: T) => string,
): string | undefined {
  for (const row of finished) {
    const now = after.find((other) => idOf(other) === idOf(row));
    if (JSON.stringify(now) !== JSON.stringify(row)) return idOf(row);
  }
  return undefined;
}

function standsFor(
  obligation: ModelObligation,
  permit: ModelPermit,
  permits: readonly ModelPermit[],
): boolean {
  const origin = permits.find(({ permitId }) => permitId === obligation.permitId);
  return (
    COALESCING.includes(permit.errorCode ?? '') &&
    origin?.errorCode === permit.errorCode &&
    obligation.workspaceId === permit.workspaceId &&
    obligation.operationClass === permit.operationClass &&
    obligation.operationIdentity === permit.operationIdentity &&
    obligation.upstreamDisposition === permit.upstreamDisposition &&
    isSame(obligation.lastCommittedCursor, permit.lastCommittedCursor)
  );
}

function classOf(type: string): string | undefined {
  const classes: Readonly<Record<string, string>> = {
    Sync: 'reconcile',
    Retry: 'reconcile',
    Repair: 'repair',
    EnableSync: 'enable',
    DisableSync: 'disable',
  };
  return classes[type];
}
