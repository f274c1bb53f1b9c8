import { describe, expect, test } from 'vitest';
import { refusalOf, setupStores } from '../stores/support/store-setup';

const AT = { workspaceId: 'w', expectedCoordinatorGeneration: 1 } as const;

describe('an owner is not resumed', () => {
  test('while a transition is under way, not even by who owns', async () => {
    const { coordinator } = await setupStores();
    for (const ownershipMode of ['browser-gateway', 'stopped'] as const) {
      coordinator.setLifecycleMode(ownershipMode, 'switching-workspace');
      const resume = () => coordinator.resumeBrowserGatewayAfterAuthenticatedRestart(AT);
      expect(refusalOf(resume)).toBe('COMMAND_INVALID');
      expect(coordinator.readOrCreateState()).toMatchObject({
        ownershipMode,
        transitionState: 'switching-workspace',
      });
    }
  });

  test('from another owner, though it is the one wanted', async () => {
    const { coordinator } = await setupStores();
    coordinator.setLifecycleMode('server', 'idle');
    const resume = () => coordinator.resumeBrowserGatewayAfterAuthenticatedRestart(AT);
    expect(refusalOf(resume)).toBe('COMMAND_INVALID');
    expect(coordinator.readOrCreateState().ownershipMode).toBe('server');
  });
});
