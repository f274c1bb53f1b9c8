export interface Effect {
  readonly identity: string;
  /** How often the operation came in. */
  readonly arrived: number;
  /** How often it changed something. */
  readonly effects: number;
}

/** What the sync server counted for a workspace. */
export async function readEffects(syncUrl: string, workspace = 'demo'): Promise<readonly Effect[]> {
  const response = await fetch(`${syncUrl}/sync/effects?workspace=${workspace}`);
  const { operations } = (await response.json()) as { readonly operations: readonly Effect[] }; // the demo's own server
  return operations;
}

/** The titles of the tasks the sync server has. */
export async function readServerTitles(syncUrl: string, workspace = 'demo'): Promise<readonly string[]> {
  const response = await fetch(`${syncUrl}/sync/pull?workspace=${workspace}&limit=100000`);
  const { changes } = (await response.json()) as {
    readonly changes: readonly { title: string; deleted: boolean }[];
  }; // likewise
  return changes.filter(({ deleted }) => !deleted).map(({ title }) => title);
}
