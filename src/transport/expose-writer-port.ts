import { expose } from 'comlink';
import type { Platform } from '../platform/platform';
import type { WriterPort } from '../protocol/call';
import { channelNames } from '../protocol/names';
import { ChannelEndpoint } from './channel-endpoint';

/** The writer's end of one tab's line: answers `invoke` and nothing else. The session that asked for it closes it. */
export function exposeWriterPort(
  platform: Platform,
  {
    db,
    sessionId,
    serverInstanceId,
  }: { readonly db: string; readonly sessionId: string; readonly serverInstanceId: string },
  port: WriterPort,
): ChannelEndpoint {
  const endpoint = new ChannelEndpoint(
    platform,
    { name: channelNames.session(db, sessionId), self: serverInstanceId, peer: sessionId },
    isInvoke,
  );
  // Comlink walks any path and allows assignment; a frozen object without a prototype leaves it nothing to walk.
  const facade: WriterPort = { invoke: port.invoke.bind(port) };
  Object.freeze(Object.setPrototypeOf(facade, null));
  expose(facade, endpoint);
  return endpoint;
}

function isInvoke(message: unknown): boolean {
  if (typeof message !== 'object' || message === null || !('type' in message) || !('path' in message))
    return false;
  return (
    message.type === 'APPLY' &&
    Array.isArray(message.path) &&
    message.path.length === 1 &&
    message.path[0] === 'invoke'
  );
}
