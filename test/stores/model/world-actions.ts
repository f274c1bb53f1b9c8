import { COORDINATOR_ACTIONS } from './coordinator-actions';
import { MACROS, type Macro } from './macro-actions';
import { WORKSPACES, type Action } from './choices';
import { PERMIT_ACTIONS } from './permit-actions';
import { RECOVERY_ACTIONS } from './recovery-actions';

const nothing = { call: () => null, model: () => null };
const JUMPS_MS = [1, 1_000, 45_000, 3_600_000, 30 * 86_400_000, -60_000, -86_400_000] as const;

const PUT_CHECKPOINT = `INSERT OR REPLACE INTO local_workspace_sync_runner_state
  (workspace_id, runner_id, coordinator_generation, checkpoint_revision, updated_at) VALUES (?, 'r', ?, 0, ?)`;

/** What happens around the stores: time passes or is set, writers die, runners save checkpoints. */
const WORLD_ACTIONS: Readonly<Record<string, Action>> = {
  clock: (lock, pick) => {
    lock.moveClock(pick.of(JUMPS_MS));
    return nothing;
  },
  tick: (lock) => {
    lock.moveClock(1_000);
    return nothing;
  },
  restart: (lock) => {
    lock.restart();
    return nothing;
  },
  putCheckpoint: (lock, pick) => {
    const workspaceId = pick.of(WORKSPACES);
    const current = lock.world.rows.state?.coordinatorGeneration ?? 0;
    const coordinatorGeneration = pick.oneIn(3) ? current + 1 : current;
    return {
      call: () => {
        const params = [workspaceId, coordinatorGeneration, lock.clock.read()];
        lock.database.prepare(PUT_CHECKPOINT).run(params);
      },
      model: () => {
        const { rows } = lock.world;
        rows.checkpoints = rows.checkpoints.filter((checkpoint) => checkpoint.workspaceId !== workspaceId);
        rows.checkpoints.push({ workspaceId, runnerId: 'r', coordinatorGeneration, checkpointRevision: 0 });
        rows.checkpoints.sort((a, b) => (a.workspaceId < b.workspaceId ? -1 : 1));
      },
    };
  },
};

const SINGLE: Readonly<Record<string, Action>> = {
  ...PERMIT_ACTIONS,
  ...RECOVERY_ACTIONS,
  ...COORDINATOR_ACTIONS,
  ...WORLD_ACTIONS,
};

/** Everything that can happen, by name. */
export const ACTIONS: Readonly<Record<string, Macro>> = {
  ...Object.fromEntries(
    Object.entries(SINGLE).map(([name, action]): [string, Macro] => [
      name,
      (lock, pick) => [() => action(lock, pick)],
    ]),
  ),
  ...MACROS,
};

/** How often each is chosen, where not once: what leads somewhere comes more often than what ends everything. */
const WEIGHTS: Readonly<Record<string, number>> = {
  answerSomething: 12,
  answerPush: 4,
  answerDispatch: 4,
  refetchAfterFailure: 5,
  switchSomeWay: 1,
  transferSomeWay: 1,
  transferDrained: 2,
  issue: 5,
  start: 5,
  answer: 5,
  acknowledge: 4,
  enter: 4,
  enterGroup: 8,
  complete: 4,
  completeGroup: 10,
  completeDispatch: 4,
  completePushes: 3,
  completePushWithoutEcho: 3,
  settleInterrupted: 2,
  abandon: 4,
  resolveDispatches: 3,
  accept: 6,
  claimNext: 3,
  finish: 3,
  requeue: 3,
  recover: 2,
  putCheckpoint: 3,
  beginTransfer: 2,
  advanceTransfer: 3,
  advanceTransferGeneration: 2,
  completeTransfer: 4,
  failTransfer: 4,
  beginSwitch: 2,
  markSwitchRunning: 4,
  completeSwitch: 8,
  failSwitch: 3,
  tick: 4,
  resume: 4,
};

/** The names of the actions, each as often as it is to be chosen. */
export const CHOICES: readonly string[] = Object.keys(ACTIONS).flatMap((name) =>
  Array.from({ length: WEIGHTS[name] ?? 1 }, () => name),
);
