import type { Json } from '../domain/json';
import type { Permit } from '../domain/permit';
import type { UpstreamDisposition } from '../domain/permit-vocabulary';

export interface StreamScope {
  readonly workspaceId: string;
  readonly stream: string;
}

/** The last pull of a stream that this writer has applied. */
export interface AppliedPull extends Applied {
  readonly permitId: string;
  readonly cursor: Json;
}

/** Issues a pull permit from the stream's committed cursor. The permit id is the idempotency key. */
export interface BeginPullInput {
  readonly permitId: string;
  /** The workspace the tab works for; refused when another one is active by now. */
  readonly workspaceId: string | null;
  readonly stream: string;
  readonly deadlineAt: string;
}

/** Issues a push permit for each operation that nobody else is sending and that was not accepted before. */
export interface BeginPushInput {
  readonly workspaceId: string | null;
  readonly stream: string;
  readonly deadlineAt: string;
  readonly operations: readonly { readonly permitId: string; readonly operationIdentity: string }[];
}

/** A push permit without the boundary of its batch, which names every operation of it. */
export type PushPermit = Omit<Permit, 'lastCommittedCursor'>;

/** Sets issued permits in flight, right before their request goes out. */
export interface StartRequestInput {
  readonly permitIds: readonly string[];
}

/**
 * What became of one operation at the start of a push. `busy`: another permit for it is active, here or in another
 * tab. `already-accepted`: an earlier push of it was accepted and settled; sending it again would be a double.
 */
export type BegunOperation =
  | { readonly operationIdentity: string; readonly status: 'granted'; readonly permit: PushPermit }
  | {
      readonly operationIdentity: string;
      readonly status: 'busy' | 'already-accepted';
      readonly permit: null;
    };

export type KnownDisposition = Exclude<UpstreamDisposition, 'not-started'>;

/**
 * Records what is known of each request. `accepted` is recorded and awaits its apply; `rejected` settles the permit
 * (a pull is abandoned clean, a push released); `unknown` abandons it and leaves an obligation.
 */
export interface RecordOutcomesInput {
  readonly outcomes: readonly {
    readonly permitId: string;
    readonly disposition: KnownDisposition;
    readonly errorCode: string | null;
  }[];
}

/** Applies an accepted page, moves cursor and data version, settles obligations and releases: one transaction. */
export interface ApplyPullInput {
  readonly permitId: string;
  /** The registered apply handler; null where there is nothing to apply. */
  readonly handler: string | null;
  readonly page: Json;
  readonly nextCursor: Json;
}

/** Applies what accepted pushes brought back and releases them together: one transaction. */
export interface ApplyPushInput {
  readonly permitIds: readonly string[];
  readonly handler: string | null;
  readonly page: Json;
}

export interface Applied {
  readonly localDataVersion: number;
  /** What the handler returned; null where it returned nothing. */
  readonly output: Json;
}

/** Gives up permits whose answer could not be applied: each leaves an obligation where its fate or apply is unsettled. */
export interface AbandonPermitsInput {
  readonly permitIds: readonly string[];
  readonly errorCode: string;
}
