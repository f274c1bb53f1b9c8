/**
 * A worker's place in the line for the writer's lock.
 *
 *   in line ──── lock ────→ the writer-to-be
 *      ↑  └─ one of a newer build stands: to the end of the line ─┘
 *
 * Rules: who stands and has its WASM says so, and a writer of an older build hands over; a standby of an older build
 * lets the newer pass, so that one hand-over is enough however many old tabs wait. It stays in line, for the newer may
 * fail to open.
 */
import { holdLock } from '../../src/election/locks';
import { compareBuilds, type Build } from '../../src/protocol/build';
import type { DiscoveryMessage } from '../../src/protocol/discovery';
import { PROTOCOL_VERSION } from '../../src/protocol/limits';
import { lockNames } from '../../src/protocol/names';
import { DiscoveryChannel } from '../../src/transport/discovery-channel';
import type { WorkerPlatform } from './worker-platform';

/** How long a cached page that holds the writer's lock may starve the others, and an older writer may not have heard. */
const REPEAT_EVERY_MS = 1_000;

export interface StandbyOptions {
  readonly platform: WorkerPlatform;
  readonly db: string;
  readonly workerId: string;
  readonly build: Build;
  /** Resolves once this worker could serve without delay; until then it asks nobody for the place. */
  readonly whenReady: Promise<void>;
  /** Somebody took the lock away by force: whoever holds it now may write, and this worker may not. */
  readonly onStolen: () => void;
}

/** Resolves with what releases the writer's lock, once this worker holds it. */
export async function waitForPlace({
  platform,
  db,
  workerId,
  build,
  whenReady,
  onStolen,
}: StandbyOptions): Promise<() => void> {
  let turn = new AbortController();
  let isWriterOlder = false;
  let isReady = false;
  const stand = (): void => {
    if (isReady) channel.send(null, { kind: 'stand', build });
  };
  const channel = new DiscoveryChannel(platform, { db, self: workerId }, (message) => {
    const { kind } = message.body;
    if (kind === 'leave') isWriterOlder = false;
    else if (kind === 'stand') {
      if (isNewerStandby(message, build)) turn.abort();
    } else if (kind !== 'hello') {
      const wasOlder = isWriterOlder;
      isWriterOlder = isOlderWriter(message, build);
      // Each of its messages would be answered with one; the first is answered at once, then the clock.
      if (isWriterOlder && !wasOlder) stand();
    }
  });
  whenReady.then(
    () => {
      isReady = true;
      stand();
    },
    () => undefined, // without its WASM it opens nothing; its turn may come all the same, and tells what is wrong
  );
  const stopRepeating = platform.every(REPEAT_EVERY_MS, () => {
    // Chromium keeps a page in its back/forward cache though it holds a lock, until somebody asks about locks.
    platform.locks.query().catch(() => undefined);
    if (isWriterOlder) stand();
  });
  try {
    for (;;) {
      const asked = holdLock(platform.locks, lockNames.writer(db), { signal: turn.signal, onStolen });
      stand();
      const release = await asked.catch((error: unknown) => {
        // Let pass; a refusal of the browser's comes again at the next try.
        if (turn.signal.aborted) return undefined;
        throw error;
      });
      if (release !== undefined) return release;
      turn = new AbortController();
    }
  } finally {
    stopRepeating();
    channel.close();
  }
}

/** Whether one that stands for writer is of a newer build. A message of another protocol says no more than its kind. */
export function isNewerStandby({ protocol, body }: DiscoveryMessage, build: Build): boolean {
  if (body.kind !== 'stand') return false;
  if (protocol !== PROTOCOL_VERSION) return protocol > PROTOCOL_VERSION;
  return compareBuilds(body.build, build) > 0;
}

function isOlderWriter({ protocol, body }: DiscoveryMessage, build: Build): boolean {
  if (protocol !== PROTOCOL_VERSION) return protocol < PROTOCOL_VERSION;
  return 'writer' in body && compareBuilds(body.writer.build, build) < 0;
}
