import { CALLS } from '../../../../src/protocol/surface';
import type { Step, Trace } from '../../../conformance/trace';

/**
 * What of a recorded trace a tab can do: the steps after a plain boot, as long as each is one of the tab's permit calls,
 * or leaves permits alone. Chosen by what the steps do; no trace is known by its name.
 */
export interface Replay {
  readonly name: string;
  readonly workspaceId: string;
  /** The generation that the boot comes to, and the instance that the trace's permits are issued under. */
  readonly generation: number;
  readonly instanceId: string;
  readonly steps: readonly Step[];
  /** Whether nothing is left out after the boot, so that the trace's final rows hold. */
  readonly isWhole: boolean;
  /** Whether it counts or lists what is in its workspace, and so must be alone there. */
  readonly isSolitary: boolean;
  readonly final: Trace['final'];
}

/** Fewer steps than this say little. */
const STEPS_MIN = 3;

const WORKSPACE_OPS: ReadonlySet<string> = new Set([
  'permits.summarize',
  'permits.inspectGenerationDrain',
  'permits.listOpenRecoveryObligations',
]);

/** They read, or change rows of commands only. */
const COMMAND_OPS: ReadonlySet<string> = new Set([
  'coordinator.readOrCreateState',
  'coordinator.acceptCommand',
  'coordinator.readCommand',
  'coordinator.listAcceptedRunnerCommands',
  'coordinator.claimNextRunnerCommand',
  'coordinator.claimCommandForExecution',
  'coordinator.markCommandRunning',
  'coordinator.finishCommand',
]);

export function findReplay(trace: Trace): Replay | undefined {
  const bootLength = trace.steps.findIndex(({ op }) => !op.startsWith('coordinator.'));
  const boot = readBoot(trace.steps.slice(0, Math.max(bootLength, 0)));
  if (boot === undefined) return undefined;
  const rest = trace.steps.slice(bootLength);
  const { taken, isWhole } = takeSteps(rest);
  const instanceId = taken.map(findIssueInstance).find((id) => id !== undefined);
  if (instanceId === undefined || taken.length < STEPS_MIN) return undefined;
  const isSolitary = taken.some(({ op }) => WORKSPACE_OPS.has(op));
  return { name: trace.name, ...boot, instanceId, steps: taken, isWhole, isSolitary, final: trace.final };
}

/** Where the boot ends, if a tab that opens a workspace ends there too: the browser owns it, and nothing is under way. */
function readBoot(steps: readonly Step[]): Pick<Replay, 'workspaceId' | 'generation'> | undefined {
  const state = steps.map(readResult).findLast((result) => result['ownershipMode'] !== undefined);
  const { activeWorkspaceId, coordinatorGeneration, ownershipMode, transitionState } = state ?? {};
  const isPlain = ownershipMode === 'browser-gateway' && transitionState === 'idle';
  return isPlain && typeof activeWorkspaceId === 'string' && typeof coordinatorGeneration === 'number'
    ? { workspaceId: activeWorkspaceId, generation: coordinatorGeneration }
    : undefined;
}

function takeSteps(rest: readonly Step[]): { readonly taken: readonly Step[]; readonly isWhole: boolean } {
  const taken: Step[] = [];
  const deadlinesMs: number[] = [];
  let instanceId: string | undefined;
  for (const step of rest) {
    if (!isTabCall(step)) {
      if (leavesPermitsAlone(step)) continue;
      return { taken, isWhole: false };
    }
    // A tab's clock cannot be moved: what a deadline that passed on the way decides is not for it.
    if (deadlinesMs.some((ms) => ms <= Date.parse(step.now ?? ''))) return { taken, isWhole: false };
    const issuedUnder = findIssueInstance(step);
    instanceId ??= issuedUnder;
    // The stores take an issue of any instance; the port takes the present writer's only.
    if (issuedUnder !== undefined && issuedUnder !== instanceId) return { taken, isWhole: false };
    const { deadlineAt } = readResult(step);
    if (typeof deadlineAt === 'string') deadlinesMs.push(Date.parse(deadlineAt));
    taken.push(step);
  }
  return { taken, isWhole: true };
}

function isTabCall({ op, callback }: Step): boolean {
  return op.startsWith('permits.') && Object.hasOwn(CALLS, op) && callback === undefined;
}

/** A refusal changes nothing, whatever was asked. */
function leavesPermitsAlone({ op, callback, expect }: Step): boolean {
  return callback === undefined && (COMMAND_OPS.has(op) || (expect !== undefined && 'error' in expect));
}

function findIssueInstance({ op, args }: Step): string | undefined {
  if (op !== 'permits.issue') return undefined;
  const { serverInstanceId } = (args?.[0] ?? {}) as { readonly serverInstanceId?: string };
  return serverInstanceId;
}

function readResult({ expect }: Step): Readonly<Record<string, unknown>> {
  const result = expect !== undefined && 'result' in expect ? expect.result : null;
  return typeof result === 'object' && result !== null ? { ...result } : {};
}
