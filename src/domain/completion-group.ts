import type { OwnerMode } from './coordinator-vocabulary';
import type { Json } from './json';

interface PermitGroup {
  readonly permitIds: readonly string[];
  readonly workspaceId: string;
  readonly coordinatorGeneration: number;
  readonly serverInstanceId: string;
  readonly ownerMode: OwnerMode;
}

/** Pull or repair permits that are applied together: from one boundary to the next, all or nothing. */
export interface CompletionGroup extends PermitGroup {
  readonly previousBoundary: Json;
  readonly expectedBoundary: Json;
}

/** The batch a push was sent in. Each of its permits carries this as its committed cursor. */
export interface PushBoundary {
  readonly version: 1;
  readonly projection: 'v2-push';
  readonly batchOperationIdentities: readonly string[];
}

/** Accepted pushes that are completed together. */
export interface PushGroup extends PermitGroup {
  readonly pushBoundary: PushBoundary;
}
