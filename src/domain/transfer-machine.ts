import type { OwnerMode, OwnershipMode, TransferPhase } from './coordinator-vocabulary';

/**
 * The phases of an ownership transfer, as one table. The source is drained under the old generation; only then is
 * the generation raised, and only after that does the target start.
 *
 *   preparing ─► draining ═► generation-advanced ─► starting-target ──┬─► committing
 *                                                └► stopping-source ──┘
 *
 * The double edge is taken by raising the generation, never by a plain advance.
 */
export interface TransferEdge {
  readonly to: TransferPhase;
  /** `advance` is the plain step; `raise-generation` has conditions of its own. */
  readonly by: 'advance' | 'raise-generation';
  readonly targets: readonly OwnerMode[];
}

const EITHER: readonly OwnerMode[] = ['browser-gateway', 'server'];

export const TRANSFER_MACHINE = {
  preparing: [{ to: 'draining', by: 'advance', targets: EITHER }],
  draining: [{ to: 'generation-advanced', by: 'raise-generation', targets: EITHER }],
  'generation-advanced': [
    { to: 'starting-target', by: 'advance', targets: ['server'] },
    { to: 'stopping-source', by: 'advance', targets: ['browser-gateway'] },
  ],
  'starting-target': [{ to: 'committing', by: 'advance', targets: ['server'] }],
  'stopping-source': [{ to: 'committing', by: 'advance', targets: ['browser-gateway'] }],
  committing: [],
} as const satisfies Record<TransferPhase, readonly TransferEdge[]>;

/** From whom a transfer takes ownership, and what the row says meanwhile. */
export const TRANSFERS = {
  server: { sourceMode: 'browser-gateway', ownershipMode: 'transitioning-to-server' },
  'browser-gateway': { sourceMode: 'server', ownershipMode: 'transitioning-to-browser' },
} as const satisfies Record<OwnerMode, { sourceMode: OwnerMode; ownershipMode: OwnershipMode }>;

export function canAdvance(from: TransferPhase, to: TransferPhase, target: OwnerMode): boolean {
  const edges: readonly TransferEdge[] = TRANSFER_MACHINE[from];
  return edges.some((edge) => edge.to === to && edge.by === 'advance' && edge.targets.includes(target));
}

/** Whether the generation was raised before this phase began. */
export function isPastDraining(phase: TransferPhase): boolean {
  return phase !== 'preparing' && phase !== 'draining';
}
