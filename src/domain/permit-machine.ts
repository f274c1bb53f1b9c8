import {
  APPLYING_CLASSES,
  NON_APPLYING_CLASSES,
  OPERATION_CLASSES,
  type OperationClass,
  type PermitState,
  type UpstreamDisposition,
} from './permit-vocabulary';

/**
 * The life of a permit, as one table. Every change of state in the stores looks its edge up here; the CHECKs of the
 * schema and the tests that walk the whole table are made from it.
 *
 *   issued-idle ──► gateway-in-flight ──► gateway-complete-awaiting-apply ──► local-commit-entered ──► released
 *
 * with `released` and the two abandoned states as ends, reachable from the states that the rows below name.
 */

/** What moves a permit. */
export type PermitMeans =
  | 'transition'
  | 'enter-local-commit'
  | 'complete-push'
  | 'complete-dispatch'
  | 'complete-local-commit'
  | 'release'
  | 'acknowledge'
  | 'abandon'
  | 'drain'
  | 'expiry'
  | 'restart'
  | 'holder-gone'
  | 'settle-committed'
  | 'settle-not-committed';

export interface PermitEdge {
  readonly to: PermitState;
  readonly by: readonly PermitMeans[];
  readonly classes: readonly OperationClass[];
  /** Dispositions from which the edge may be taken. */
  readonly from: readonly UpstreamDisposition[];
  /** For `transition` only: dispositions it may leave behind, the first where none is given. */
  readonly leaves?: readonly [UpstreamDisposition, ...UpstreamDisposition[]];
}

const UPSTREAM_CLASSES = OPERATION_CLASSES.filter((operationClass) => operationClass !== 'local-apply');
const ABANDONING = ['abandon', 'expiry', 'restart', 'holder-gone'] as const;

export const PERMIT_MACHINE = {
  'issued-idle': [
    {
      to: 'gateway-in-flight',
      by: ['transition'],
      classes: UPSTREAM_CLASSES,
      from: ['not-started'],
      leaves: ['unknown'],
    },
    {
      to: 'local-commit-entered',
      by: ['enter-local-commit'],
      classes: ['local-apply'],
      from: ['not-started'],
    },
    { to: 'released', by: ['release'], classes: OPERATION_CLASSES, from: ['not-started'] },
    {
      to: 'abandoned-clean',
      by: [...ABANDONING, 'drain'],
      classes: OPERATION_CLASSES,
      from: ['not-started'],
    },
  ],
  'gateway-in-flight': [
    {
      to: 'gateway-complete-awaiting-apply',
      by: ['transition'],
      classes: UPSTREAM_CLASSES,
      from: ['unknown'],
      leaves: ['unknown', 'accepted', 'rejected'],
    },
    {
      to: 'abandoned-reconcile-required',
      by: ['expiry', 'restart', 'holder-gone'],
      classes: UPSTREAM_CLASSES,
      from: ['unknown'],
    },
  ],
  'gateway-complete-awaiting-apply': [
    {
      to: 'local-commit-entered',
      by: ['enter-local-commit'],
      classes: APPLYING_CLASSES,
      from: ['accepted'],
    },
    { to: 'local-commit-entered', by: ['complete-push'], classes: ['push'], from: ['accepted'] },
    { to: 'local-commit-entered', by: ['complete-dispatch'], classes: ['v3-dispatch'], from: ['accepted'] },
    { to: 'released', by: ['release'], classes: NON_APPLYING_CLASSES, from: ['accepted', 'rejected'] },
    { to: 'released', by: ['acknowledge'], classes: NON_APPLYING_CLASSES, from: ['accepted'] },
    { to: 'abandoned-clean', by: ABANDONING, classes: UPSTREAM_CLASSES, from: ['rejected'] },
    {
      to: 'abandoned-reconcile-required',
      by: ABANDONING,
      classes: UPSTREAM_CLASSES,
      from: ['accepted', 'unknown'],
    },
  ],
  'local-commit-entered': [
    {
      to: 'released',
      by: ['complete-local-commit', 'complete-push', 'complete-dispatch', 'settle-committed'],
      classes: OPERATION_CLASSES,
      from: ['not-started', 'accepted'],
    },
    {
      to: 'abandoned-clean',
      by: ['settle-not-committed'],
      classes: ['local-apply'],
      from: ['not-started'],
    },
    {
      to: 'abandoned-reconcile-required',
      by: ['settle-not-committed'],
      classes: UPSTREAM_CLASSES,
      from: ['accepted'],
    },
  ],
  released: [],
  'abandoned-clean': [],
  'abandoned-reconcile-required': [],
} as const satisfies Record<PermitState, readonly PermitEdge[]>;

/** As much of a permit as the table looks at. */
export interface PermitSituation {
  readonly state: PermitState;
  readonly operationClass: OperationClass;
  readonly upstreamDisposition: UpstreamDisposition | null;
}

/** The edge a permit may take by these means (to that state, where one is named), or undefined. */
export function findPermitEdge(
  permit: PermitSituation,
  by: PermitMeans,
  to?: PermitState,
): PermitEdge | undefined {
  const edges: readonly PermitEdge[] = PERMIT_MACHINE[permit.state];
  return edges.find(
    (edge) =>
      edge.by.includes(by) &&
      (to === undefined || edge.to === to) &&
      edge.classes.includes(permit.operationClass) &&
      permit.upstreamDisposition !== null &&
      edge.from.includes(permit.upstreamDisposition),
  );
}

/** The row of the table for a pair of states and a class, whatever the disposition: is this a transition at all? */
export function findTransitionEdge(
  operationClass: OperationClass,
  from: PermitState,
  to: PermitState,
): PermitEdge | undefined {
  // A caller without types may name a state that is none: it has no way out.
  const edges: readonly PermitEdge[] = Object.hasOwn(PERMIT_MACHINE, from) ? PERMIT_MACHINE[from] : [];
  return edges.find(
    (edge) => edge.to === to && edge.by.includes('transition') && edge.classes.includes(operationClass),
  );
}

/** The dispositions a permit can have in a state, read off the edges that lead there. */
export function dispositionsIn(state: PermitState): readonly UpstreamDisposition[] {
  if (state === 'issued-idle') return ['not-started'];
  const all: readonly (readonly PermitEdge[])[] = Object.values(PERMIT_MACHINE);
  const found = all.flat().flatMap((edge) => (edge.to === state ? (edge.leaves ?? edge.from) : []));
  return [...new Set(found)];
}
