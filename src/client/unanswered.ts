import { LIBRARY_CODES, type LibraryCode } from '../domain/error-codes';
import { TidelockError } from '../domain/tidelock-error';
import type { WriterHolder } from '../election/writer-holder';
import { CALLS, type CallName } from '../protocol/surface';

/** A call as far as its error must tell of it. */
export interface EndedCall {
  readonly call: CallName;
  /** Null where it ended before it had one. */
  readonly callId: string | null;
  /** Whether it was ever sent. */
  readonly mayHaveRun: boolean;
}

/** Why nobody may be answering. */
export interface Silence {
  /** Who keeps the writer's place without a word; null where nobody does, as far as is known. */
  readonly holder: WriterHolder | null;
  readonly cause: unknown;
}

const REASONS: Partial<Record<LibraryCode, string>> = {
  ABORTED: 'was aborted by its signal',
  DEADLINE_EXCEEDED: 'got no answer in time',
  CLIENT_CLOSED: 'ended with its client, which is closed',
  UPGRADE_REQUIRED: 'ended with its page’s build. Reload the page',
  STORAGE_LOST: 'was asked of a database that is lost',
};

/** What calls of a closed client end with. */
export type ClosedAs = 'CLIENT_CLOSED' | 'UPGRADE_REQUIRED';

/** Of UPGRADE_REQUIRED. */
export const OUTDATED = 'The database belongs to another build of the app by now. Reload the page.';

/** The error of a call that ended without an answer. `details.outcome` says whether it may have taken effect. */
export function unanswered(
  code: 'ABORTED' | 'DEADLINE_EXCEEDED' | ClosedAs | 'STORAGE_LOST',
  ended: EndedCall,
  cause?: unknown,
): TidelockError {
  return new TidelockError(code, `${ended.call} ${REASONS[code] ?? 'ended'}.`, {
    details: describe(ended),
    cause,
  });
}

/** The error of a call whose time ran out: the writer's silence, where there is one to name, else only the time. */
export function outOfTime(ended: EndedCall, { holder, cause }: Silence): TidelockError {
  if (holder === null) return unanswered(LIBRARY_CODES.DEADLINE_EXCEEDED, ended, cause);
  return new TidelockError(
    LIBRARY_CODES.WRITER_UNRESPONSIVE,
    `${ended.call} got no answer in time: the writer keeps its place and says nothing.`,
    { details: { ...describe(ended), holder }, cause },
  );
}

function describe({ call, callId, mayHaveRun }: EndedCall): Readonly<Record<string, unknown>> {
  const outcome = mayHaveRun && CALLS[call].kind !== 'read' ? 'unknown' : 'not-executed';
  return { call, callId, outcome };
}
