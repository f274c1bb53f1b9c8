import type { AdvanceLocalDataVersionInput, ResumeInput } from '../../../src/domain/coordinator-state';
import type { OwnerMode, OwnershipMode, TransitionState } from '../../../src/domain/coordinator-vocabulary';
import { refuseIf, type ModelState, type World } from './world';

/** The coordinator's row and its checkpoints, told again from their rules. */
export class StateModel {
  protected readonly world: World;
  constructor(world: World) {
    this.world = world;
  }

  state(): ModelState {
    this.world.rows.state ??= {
      activeWorkspaceId: null,
      coordinatorGeneration: 0,
      localDataVersion: 0,
      ownershipMode: 'stopped',
      desiredOwnershipMode: 'browser-gateway',
      transitionState: 'idle',
      acceptedSwitchCommandId: null,
      targetWorkspaceId: null,
      requestedBy: null,
      terminalSwitchResult: null,
      terminalTransferResult: null,
      acceptedTransferCommandId: null,
      transferTargetMode: null,
      transferPhase: null,
      transferVersion: null,
      updatedAt: this.world.now,
    };
    return this.world.rows.state;
  }

  setLifecycleMode(ownershipMode: OwnershipMode, transitionState: TransitionState): ModelState {
    return this.touch({ ownershipMode, transitionState });
  }

  advanceDataVersion({ workspaceId, expectedCoordinatorGeneration }: AdvanceLocalDataVersionInput): number {
    const state = this.state();
    refuseIf(state.coordinatorGeneration !== expectedCoordinatorGeneration, 'STALE_GENERATION');
    refuseIf(state.activeWorkspaceId !== workspaceId, 'INACTIVE_WORKSPACE');
    return this.touch({ localDataVersion: state.localDataVersion + 1 }).localDataVersion;
  }

  resume({ workspaceId, expectedCoordinatorGeneration }: ResumeInput, owner: OwnerMode): ModelState {
    const state = this.state();
    refuseIf(state.coordinatorGeneration !== expectedCoordinatorGeneration, 'STALE_GENERATION');
    refuseIf(state.activeWorkspaceId !== workspaceId, 'INACTIVE_WORKSPACE');
    const isIdle = state.transitionState === 'idle';
    if (state.ownershipMode === owner && isIdle) return state;
    const mayResume = state.ownershipMode === 'stopped' && isIdle && state.desiredOwnershipMode === owner;
    refuseIf(!mayResume, 'COMMAND_INVALID');
    return this.touch({ ownershipMode: owner });
  }

  protected touch(changes: Partial<ModelState>): ModelState {
    return Object.assign(this.state(), changes, { updatedAt: this.world.now });
  }

  protected align(workspaceId: string | null): void {
    const { coordinatorGeneration } = this.state();
    for (const checkpoint of this.world.rows.checkpoints) {
      const isElsewhere = checkpoint.coordinatorGeneration !== coordinatorGeneration;
      if (checkpoint.workspaceId !== workspaceId || !isElsewhere) continue;
      checkpoint.coordinatorGeneration = coordinatorGeneration;
      checkpoint.checkpointRevision += 1;
    }
  }
}
