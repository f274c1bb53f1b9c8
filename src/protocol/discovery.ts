import type { Build, SchemaVersions, WriterBuild } from './build';
import { PROTOCOL_VERSION } from './limits';

/**
 * The small envelope on the discovery channel. It is frozen: builds of different protocols read it, so that they
 * can meet, tell each other apart and say so. Only its `body` may grow: what is said under another `protocol` than
 * one's own is read no further than its kind.
 *
 *   tab    --hello-->    everyone   I am session S, of build B; is there a writer?
 *   writer --writer-->   everyone   I am the writer (at start, once)
 *   writer --welcome-->  one tab    your channel is served from now on
 *   writer --refuse-->   one tab    I do not serve your build; you wait for a newer writer, or are outdated
 *   worker --stand-->    everyone   I stand for writer; whoever is of an older build lets me pass
 *   writer --change-->   everyone   a commit moved the coordinator, or changed these tables
 *   tab    --leave-->    everyone   my worker was the writer and ends with me: no call is to blame for its death
 *   writer --leave-->    everyone   I hand over, as I was asked to
 */
export const DISCOVERY_FORMAT = 1;

export interface WriterIdentity {
  /** `<epoch>.<uuid>`: one writer's life. */
  readonly serverInstanceId: string;
  readonly epoch: number;
  /** The session whose worker is the writer. */
  readonly sessionId: string;
  readonly storage: StorageKind;
  readonly build: WriterBuild;
  /** Born with the database: one that was started anew after a loss, or in memory, has another. */
  readonly databaseId: string;
}

export type StorageKind = 'opfs' | 'memory';

/** What every tab may know of the coordinator without asking. */
export interface CoordinatorView {
  readonly workspaceId: string | null;
  readonly generation: number;
  readonly localDataVersion: number;
  readonly ownershipMode: string;
  readonly transitionState: string;
}

export type DiscoveryBody =
  | { readonly kind: 'hello'; readonly build: Build }
  | { readonly kind: 'writer'; readonly writer: WriterIdentity }
  | {
      readonly kind: 'welcome';
      readonly writer: WriterIdentity;
      readonly coordinator: CoordinatorView;
      /** The number of the writer's last commit that changed a table; 0 before the first. */
      readonly commit: number;
    }
  | { readonly kind: 'refuse'; readonly writer: WriterIdentity }
  | { readonly kind: 'stand'; readonly build: Build }
  | { readonly kind: 'leave'; readonly writer: WriterIdentity }
  | {
      readonly kind: 'change';
      readonly writer: WriterIdentity;
      readonly coordinator: CoordinatorView;
      /** One more than the last one's where `tables` names any: who sees a gap has missed a message. */
      readonly commit: number;
      /** Lower-case names of the tables that the commit changed. */
      readonly tables: readonly string[];
    };

export interface DiscoveryMessage {
  readonly tidelock: typeof DISCOVERY_FORMAT;
  readonly protocol: number;
  /** A session id, or a server instance id. */
  readonly from: string;
  /** A session id; null is everyone. */
  readonly to: string | null;
  readonly body: DiscoveryBody;
}

/** Reads a message off the channel; undefined for anything that is not this envelope. */
export function parseDiscoveryMessage(data: unknown): DiscoveryMessage | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const message = data as Partial<DiscoveryMessage>; // each field is checked below before it is used
  const isOurs =
    message.tidelock === DISCOVERY_FORMAT &&
    typeof message.protocol === 'number' &&
    typeof message.from === 'string' &&
    (message.to === null || typeof message.to === 'string') &&
    typeof message.body === 'object' &&
    message.body !== null &&
    typeof message.body.kind === 'string';
  if (!isOurs) return undefined;
  const whole = message as DiscoveryMessage; // checked above, the body below
  return whole.protocol !== PROTOCOL_VERSION || isBody(whole.body) ? whole : undefined;
}

/** Other scripts of the origin may say anything here, and nobody may fall over it. */
function isBody(body: object): boolean {
  // Each field is checked before it counts.
  const { kind, build, writer, coordinator, commit, tables } = body as {
    readonly kind: DiscoveryBody['kind'];
    readonly build?: Build;
    readonly writer?: WriterIdentity;
    readonly coordinator?: unknown;
    readonly commit?: unknown;
    readonly tables?: unknown;
  };
  if (kind === 'hello' || kind === 'stand') return isBuild(build);
  const isWriter =
    typeof writer?.serverInstanceId === 'string' &&
    typeof writer.epoch === 'number' &&
    isBuild(writer.build) &&
    areNumbers(writer.build.safeFrom);
  if (!isWriter || (kind !== 'welcome' && kind !== 'change')) return isWriter;
  const hasView = typeof coordinator === 'object' && coordinator !== null && typeof commit === 'number';
  return hasView && (kind === 'welcome' || Array.isArray(tables));
}

function isBuild(build?: Build): boolean {
  return typeof build?.protocol === 'number' && typeof build.version === 'number' && areNumbers(build.schema);
}

function areNumbers(versions?: SchemaVersions): boolean {
  return typeof versions?.tidelock === 'number' && typeof versions.app === 'number';
}
