import { expect, test } from 'vitest';
import { times } from '../../support/times';
import { freshDatabase, joinLedger, mustBeOk, pause, readOrder } from './setup';

const IDLE_MS = times({ some: 3_000, full: 65_000 });

test(
  `a follower that is idle for ${String(IDLE_MS / 1_000)} s is served as before`,
  { timeout: 120_000 },
  async () => {
    const db = freshDatabase();
    const writer = await joinLedger(db);
    const follower = await joinLedger(db);
    mustBeOk(await follower.call('mutate', 'append', 'f', 0));
    await pause(IDLE_MS);
    mustBeOk(await follower.call('mutate', 'append', 'f', 1));
    mustBeOk(await writer.call('mutate', 'append', 'w', 0));
    expect(await readOrder(follower)).toBe('f0 f1 w0');
    const status = await follower.call('readStatus');
    expect(status).toMatchObject({ role: 'follower', connection: 'connected', workerError: null });
    expect(status.writer?.epoch).toBe(1);
    expect([...(await writer.errors()), ...(await follower.errors())]).toEqual([]);
  },
);
