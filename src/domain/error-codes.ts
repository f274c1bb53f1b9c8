/**
 * Every code an error of tidelock can carry. The set is closed: callers may switch over it.
 * Each entry says when it happens, what the caller should do, and whether trying again can help.
 */

const STORE = 'SYNC_COORDINATOR_';

/** Codes of the two stores; in rows and calls they carry the prefix `SYNC_COORDINATOR_`. */
export const STORE_CODES = {
  /** The work was admitted under a generation that has passed. Read the state, start over; the same call never succeeds. */
  STALE_GENERATION: `${STORE}STALE_GENERATION`,
  /** The workspace named is not the active one. Open or switch to it first. */
  INACTIVE_WORKSPACE: `${STORE}INACTIVE_WORKSPACE`,
  /** The command does not fit what was asked (type, owner, status, phase). A mistake of the caller; do not retry. */
  COMMAND_INVALID: `${STORE}COMMAND_INVALID`,
  /** The command id is taken by a command with another fingerprint. Use a new id. */
  COMMAND_IDENTITY_CONFLICT: `${STORE}COMMAND_IDENTITY_CONFLICT`,
  /** A stored row holds a value outside its closed set; it came from elsewhere. Run the doctor; retrying cannot help. */
  STATE_CORRUPT: `${STORE}STATE_CORRUPT`,
  /** Permits of the source generation are still active. Wait for them to end, then try again. */
  DRAIN_INCOMPLETE: `${STORE}DRAIN_INCOMPLETE`,
  /** A callback inside a store transaction returned a promise. Make it synchronous; nothing was written. */
  ASYNC_TRANSACTION: `${STORE}ASYNC_TRANSACTION`,
  /** A limit is not an integer in its range. Correct it. */
  LIMIT_INVALID: `${STORE}LIMIT_INVALID`,
  /** A completion group has the wrong shape. Correct it. */
  COMPLETION_GROUP_INVALID: `${STORE}COMPLETION_GROUP_INVALID`,
  /** The committed cursor is no longer the one this pull started from. Pull again from the committed one. */
  CURSOR_CONFLICT: `${STORE}CURSOR_CONFLICT`,
  /** No permit (or obligation) has this id; it may have been pruned. Issue a new one. */
  PERMIT_NOT_FOUND: `${STORE}PERMIT_NOT_FOUND`,
  /** The deadline has passed or cannot be read. Issue a new permit with a later one. Also written to rows by expiry. */
  PERMIT_EXPIRED: `${STORE}PERMIT_EXPIRED`,
  /** The permit is not in a state from which this is possible. Read it and decide anew. */
  PERMIT_STATE_CONFLICT: `${STORE}PERMIT_STATE_CONFLICT`,
  /** The permit, or an identity bound to it, is another one than the caller says. A mistake; do not retry. */
  PERMIT_IDENTITY_CONFLICT: `${STORE}PERMIT_IDENTITY_CONFLICT`,
  /** The permit belongs to another writer's life. Learn the present server instance id, then repeat. */
  PERMIT_SERVER_MISMATCH: `${STORE}PERMIT_SERVER_MISMATCH`,
  /** Ownership is elsewhere or changing hands. Wait for the status to say otherwise, then try again. */
  PERMITS_DISABLED: `${STORE}PERMITS_DISABLED`,
  /** A local commit of an earlier writer is unsettled, so the workspace is blocked. Settle it first. */
  LOCAL_COMMIT_INVARIANT: `${STORE}LOCAL_COMMIT_INVARIANT`,
} as const;

/** Written to rows by recovery and drains, never thrown. (PERMIT_EXPIRED is both.) */
export const ROW_CODES = {
  /** The writer restarted before the command ran. Nothing was done; ask again with a new command id. */
  RESTART_BEFORE_EXECUTION: `${STORE}RESTART_BEFORE_EXECUTION`,
  /** The writer restarted while the command or the transition ran. Read the state before asking again. */
  RESTART_INTERRUPTED: `${STORE}RESTART_INTERRUPTED`,
  /** The runner was made anew while the command ran. Nothing to do; it waits to run again. */
  RUNNER_RECREATED: `${STORE}RUNNER_RECREATED`,
  /** The writer that issued the permit is gone. Settle its obligation, if it left one, and start over. */
  SERVER_RESTARTED: `${STORE}SERVER_RESTARTED`,
  /** The tab that held the permit is gone. Settle its obligation, if it left one; another tab may start over. */
  HOLDER_GONE: `${STORE}HOLDER_GONE`,
  /** A local commit that was cut short is known not to have taken effect. Settle its obligation: fetch or send again. */
  LOCAL_COMMIT_SETTLED: `${STORE}LOCAL_COMMIT_SETTLED`,
  /** The holder gave the permit up and named no code of its own. Settle its obligation, if it left one. */
  PERMIT_ABANDONED: `${STORE}PERMIT_ABANDONED`,
  /** A drain ended the permit before its request started. Issue a new one when the transfer is over. */
  PERMIT_DRAINED_NOT_STARTED: `${STORE}PERMIT_DRAINED_NOT_STARTED`,
  /** The deadline passed while the permit was active. Settle its obligation, if it left one, and start over. */
  PERMIT_EXPIRED: `${STORE}PERMIT_EXPIRED`,
} as const;

/** Codes of the library around the stores. */
export const LIBRARY_CODES = {
  /** An argument has the wrong shape; `details.path` says where. Correct it; nothing was changed. */
  INVALID_INPUT: 'INVALID_INPUT',
  /** The worker file registers no handler (or call) of this name. Check the name, or reload after a deploy. */
  UNKNOWN_HANDLER: 'UNKNOWN_HANDLER',
  /** An application handler threw; the error is the `cause`. Its writes were undone, its neighbours' were not. */
  HANDLER_FAILED: 'HANDLER_FAILED',
  /** An application handler returned a promise. Make it synchronous; nothing was written. */
  HANDLER_ASYNC: 'HANDLER_ASYNC',
  /** A message, or what a handler returned, is larger than the limit in `details`. Split it, or ask for less (a LIMIT in the SQL); nothing was changed. */
  PAYLOAD_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  /** The caller's signal fired, or the page was hidden in the middle of a request. `details.outcome` says whether the call may still have taken effect. */
  ABORTED: 'ABORTED',
  /** The call's time ran out. `details.outcome` says whether it may have taken effect; with `not-executed` retry freely. */
  DEADLINE_EXCEEDED: 'DEADLINE_EXCEEDED',
  /** `close()` was called on this client. Connect again; `details.outcome` as above. */
  CLIENT_CLOSED: 'CLIENT_CLOSED',
  /** Whether the call took effect cannot be known. Read the data before doing it again. */
  OUTCOME_UNKNOWN: 'OUTCOME_UNKNOWN',
  /** Two writers died while they ran this call and nothing else, so it is not run again; `details.outcome` as above. Find out why before retrying. */
  CALL_CRASHED_WRITER: 'CALL_CRASHED_WRITER',
  /** The writer keeps its lock but says nothing; `details.holder` names it. Close that tab or wait; `details.outcome` as above. */
  WRITER_UNRESPONSIVE: 'WRITER_UNRESPONSIVE',
  /** The browser lacks something (`details.missing`: locks, OPFS, secure context, worker). Retrying cannot help. */
  UNSUPPORTED_ENVIRONMENT: 'UNSUPPORTED_ENVIRONMENT',
  /** The worker script or the WASM (`details.url`, where known) did not load, or the worker failed at its start (`cause`). Check the URL, or reload after a deploy. */
  WORKER_LOAD_FAILED: 'WORKER_LOAD_FAILED',
  /** Starting took too long; `details.stage` says where it stands. Trying again can help. */
  START_TIMEOUT: 'START_TIMEOUT',
  /** The page and its own worker file speak different protocols (`details.expected`, `actual`): one of them is of an earlier deploy. Reload the page. */
  PROTOCOL_MISMATCH: 'PROTOCOL_MISMATCH',
  /** Another build has the database by now (`details.build`, `writer`; `details.outcome` of a call). Reload the page, once: it helps where the server has that build. */
  UPGRADE_REQUIRED: 'UPGRADE_REQUIRED',
  /** The database was written by a newer build (`details`); nothing was written. Reload or deploy the newer build. */
  SCHEMA_TOO_NEW: 'SCHEMA_TOO_NEW',
  /** A migration (`details.migration`) failed and was rolled back; the previous build still opens the database. Correct it. */
  MIGRATION_FAILED: 'MIGRATION_FAILED',
  /** The browser refuses storage here (private window, blocked cookies). Ask for `storage: 'memory'` or tell the user. */
  STORAGE_BLOCKED: 'STORAGE_BLOCKED',
  /** Another worker holds the database files (`details.holders`: the tabs it may belong to). Trying again can help. */
  STORAGE_BUSY: 'STORAGE_BUSY',
  /** The origin's quota or the disk is used up (`details.estimate`). Free space; earlier commits are intact. */
  STORAGE_FULL: 'STORAGE_FULL',
  /** The database file is damaged. Restore a copy or destroy it; retrying cannot help. */
  STORAGE_CORRUPT: 'STORAGE_CORRUPT',
  /** A database existed here (`details.databaseId`) and its files are gone: evicted, or cleared. Nothing was made in its place. Let the user decide, and start anew with `connect({ acceptLossOf: databaseId })`. Of a call: the database it was asked of is gone, and its effect with it. */
  STORAGE_LOST: 'STORAGE_LOST',
  /** Reading or writing the database file failed for another reason (`cause`). Trying again can help. */
  STORAGE_IO: 'STORAGE_IO',
  /** No workspace is open. Call `workspaces.open` first. */
  WORKSPACE_NONE: 'WORKSPACE_NONE',
  /** Another workspace is active (`details`). Switch to it deliberately instead of opening. */
  WORKSPACE_ACTIVE_ELSEWHERE: 'WORKSPACE_ACTIVE_ELSEWHERE',
  /** A command ended as failed; `details` is its terminal record. Decide by its error code; ask again with a new id. */
  COMMAND_FAILED: 'COMMAND_FAILED',
  /** No living tab could give credentials. Sign in, then try again. */
  CREDENTIALS_UNAVAILABLE: 'CREDENTIALS_UNAVAILABLE',
  /** The bytes to import are no database of this kind (`details.why`). Nothing was changed. */
  IMPORT_INVALID: 'IMPORT_INVALID',
  /** An operation identity was used again with another content. Use a new identity. */
  IDENTITY_REUSED: 'IDENTITY_REUSED',
} as const;

export type StoreCode = (typeof STORE_CODES)[keyof typeof STORE_CODES];
export type RowCode = (typeof ROW_CODES)[keyof typeof ROW_CODES];
export type LibraryCode = (typeof LIBRARY_CODES)[keyof typeof LIBRARY_CODES];
export type ErrorCode = StoreCode | LibraryCode;
export const ERROR_CODES: readonly ErrorCode[] = [
  ...Object.values(STORE_CODES),
  ...Object.values(LIBRARY_CODES),
];
