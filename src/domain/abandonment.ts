import { toRequiredAction } from './operation-class';
import type { Permit } from './permit';
import { findPermitEdge, type PermitMeans } from './permit-machine';
import type { RequiredAction, UpstreamDisposition } from './permit-vocabulary';

/** Errors of an apply that a caller repeats again and again: one open obligation for the same thing is enough. */
const REPEATED_APPLY_CODES: readonly string[] = [
  'WORKSPACE_SYNC_V3_APPLY_NOT_COMMITTED',
  'WORKSPACE_SYNC_V3_ATTACHMENT_HYDRATION_NOT_COMMITTED',
];

export type Abandonment =
  | { readonly to: 'abandoned-clean' }
  | {
      readonly to: 'abandoned-reconcile-required';
      readonly upstreamDisposition: UpstreamDisposition;
      readonly requiredAction: RequiredAction;
      /** Whether an equal open obligation makes another one needless. */
      readonly coalesces: boolean;
    };

/** What abandoning a permit by these means comes to, or undefined where it cannot be abandoned so. */
export function findAbandonment(permit: Permit, by: PermitMeans, errorCode: string): Abandonment | undefined {
  const edge = findPermitEdge(permit, by);
  if (edge?.to === 'abandoned-clean') return { to: edge.to };
  if (edge?.to !== 'abandoned-reconcile-required' || permit.upstreamDisposition === null) return undefined;
  return {
    to: edge.to,
    upstreamDisposition: permit.upstreamDisposition,
    requiredAction: toRequiredAction(permit.operationClass, permit.operationIdentity),
    coalesces: REPEATED_APPLY_CODES.includes(errorCode),
  };
}
