import type { CompletionGroup, PushGroup } from '../../../src/domain/completion-group';
import type { Json } from '../../../src/domain/json';
import type { Fence, OwnedFence, SettleInterruptedInput } from '../../../src/domain/permit';
import { PermitModel, isAccepted } from './permit-model';
import { PREFIX } from './permit-rules';
import { isActive, refuseIf, isSame, type ModelPermit } from './world';

/** Local commits and accepted mutations, told again from their rules. */
export class CommitModel extends PermitModel {
  enterLocalCommit(fence: Fence): ModelPermit {
    const permit = this.fenced(fence);
    if (permit.state === 'local-commit-entered') return permit;
    refuseIf(!this.#mayEnter(permit), 'PERMIT_STATE_CONFLICT');
    this.assertWindow(permit);
    this.assertDeadline(permit);
    return this.move(permit, 'local-commit-entered');
  }

  completeLocalCommit(fence: Fence): ModelPermit {
    const permit = this.fenced(fence);
    if (permit.state === 'released') return permit;
    this.assertWindow(permit);
    refuseIf(permit.state !== 'local-commit-entered', 'PERMIT_STATE_CONFLICT');
    return this.move(permit, 'released');
  }

  enterGroup(group: CompletionGroup): ModelPermit[] {
    const permits = this.group(group, (permit) => this.#mayEnter(permit));
    for (const permit of permits) {
      this.assertWindow(permit);
      this.assertDeadline(permit);
    }
    return permits.map((permit) => this.move(permit, 'local-commit-entered'));
  }

  completeGroup(group: CompletionGroup, apply: () => unknown): ModelPermit[] {
    const permits = this.group(group, (permit) => permit.state === 'local-commit-entered');
    for (const permit of permits) this.assertWindow(permit);
    this.apply(apply);
    return permits.map((permit) => this.move(permit, 'released'));
  }

  completeDispatch(input: OwnedFence & { operationIdentity: string }, apply: () => unknown): unknown {
    const permit = this.fenced(input);
    refuseIf(permit.ownerMode !== input.ownerMode, 'PERMIT_IDENTITY_CONFLICT');
    refuseIf(permit.operationIdentity !== input.operationIdentity, 'PERMIT_IDENTITY_CONFLICT');
    refuseIf(permit.operationClass !== 'v3-dispatch', 'PERMIT_STATE_CONFLICT');
    refuseIf(!isAccepted(permit), 'PERMIT_STATE_CONFLICT');
    this.assertWindow(permit);
    this.assertDeadline(permit);
    this.move(permit, 'local-commit-entered');
    const result = this.apply(apply);
    const { operationIdentity } = input;
    const evidence = { version: 1, kind: 'accepted-v3-dispatch', operationIdentity };
    this.resolve(this.replays(permit.workspaceId, 'v3-dispatch', operationIdentity), evidence);
    this.move(permit, 'released');
    return result;
  }

  completePushes(group: PushGroup, apply: () => unknown): { result: unknown; permits: ModelPermit[] } {
    this.assertIds(group.permitIds);
    const { batchOperationIdentities: batch } = group.pushBoundary;
    const seen: string[] = [];
    const boundary: Json = { ...group.pushBoundary };
    const permits = group.permitIds.map((permitId) => {
      const permit = this.fenced({ ...group, permitId });
      refuseIf(permit.ownerMode !== group.ownerMode, 'PERMIT_IDENTITY_CONFLICT');
      refuseIf(permit.operationClass !== 'push', 'PERMIT_STATE_CONFLICT');
      const identity = permit.operationIdentity ?? '';
      const isOfBatch = batch.includes(identity) && !seen.includes(identity);
      refuseIf(!isOfBatch, 'PERMIT_IDENTITY_CONFLICT');
      seen.push(identity);
      refuseIf(!isSame(permit.lastCommittedCursor, boundary), 'PERMIT_IDENTITY_CONFLICT');
      refuseIf(!isAccepted(permit), 'PERMIT_STATE_CONFLICT');
      return permit;
    });
    for (const permit of permits) {
      this.assertWindow(permit);
      this.assertDeadline(permit);
    }
    for (const permit of permits) this.move(permit, 'local-commit-entered');
    const result = this.apply(apply);
    for (const identity of seen) {
      const older = this.replays(group.workspaceId, 'push', identity).filter((obligation) => {
        const origin = this.world.permitOf(obligation);
        return (
          origin.coordinatorGeneration <= group.coordinatorGeneration && origin.operationIdentity === identity
        );
      });
      this.resolve(older, boundary);
    }
    for (const permit of permits) this.move(permit, 'released');
    return { result, permits };
  }

  settleInterrupted({ permitId, workspaceId, outcome, evidence }: SettleInterruptedInput): ModelPermit {
    const permit = this.find(permitId);
    refuseIf(permit.workspaceId !== workspaceId, 'INACTIVE_WORKSPACE');
    if (!isActive(permit)) return permit;
    refuseIf(permit.state !== 'local-commit-entered', 'PERMIT_STATE_CONFLICT');
    permit.settlementEvidence = evidence;
    return outcome === 'committed'
      ? this.move(permit, 'released')
      : this.abandon(permit, `${PREFIX}LOCAL_COMMIT_SETTLED`);
  }

  #mayEnter(permit: ModelPermit): boolean {
    if (permit.operationClass === 'local-apply') return permit.state === 'issued-idle';
    return ['pull', 'repair'].includes(permit.operationClass) && isAccepted(permit);
  }
}
